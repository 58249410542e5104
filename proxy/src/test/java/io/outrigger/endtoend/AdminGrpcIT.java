package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonObject;
import com.google.protobuf.TypeRegistry;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.admin.v3.ClientResourceStatus;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.service.status.v3.ClientConfig;
import io.envoyproxy.envoy.service.status.v3.ClientConfig.GenericXdsConfig;
import io.envoyproxy.envoy.service.status.v3.ClientStatusDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.status.v3.ClientStatusRequest;
import io.envoyproxy.envoy.service.status.v3.ClientStatusResponse;
import io.envoyproxy.envoy.type.matcher.v3.NodeMatcher;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.channelz.v1.ChannelzGrpc;
import io.grpc.channelz.v1.GetTopChannelsRequest;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The admin gRPC server of a running sidecar, as CONTRACT section 7 describes it. */
@Timeout(600)
class AdminGrpcIT {
  private static final TypeRegistry TYPES =
      TypeRegistry.newBuilder()
          .add(Listener.getDescriptor())
          .add(HttpConnectionManager.getDescriptor())
          .add(Router.getDescriptor())
          .add(RouteConfiguration.getDescriptor())
          .add(Cluster.getDescriptor())
          .add(ClusterLoadAssignment.getDescriptor())
          .build();

  private final Mesh mesh = new Mesh().with(Flag.ADMIN_GRPC, "127.0.0.1:0");
  private final ControlPlane controlPlane = mesh.controlPlane;

  @AfterEach
  void close() {
    mesh.close();
  }

  private ManagedChannel startReady() throws Exception {
    controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", mesh.backend("a")),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    mesh.startReady();
    return channel();
  }

  private ManagedChannel channel() {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(mesh.proxy().address(Flag.ADMIN_GRPC).orElseThrow())
            .usePlaintext()
            .build();
    mesh.keep(() -> channel.shutdownNow().awaitTermination(60, TimeUnit.SECONDS));
    return channel;
  }

  private static ClientConfig fetch(ManagedChannel channel) {
    ClientStatusResponse response =
        ClientStatusDiscoveryServiceGrpc.newBlockingStub(channel)
            .fetchClientStatus(ClientStatusRequest.getDefaultInstance());
    assertThat(response.getConfigCount()).isEqualTo(1);
    return response.getConfig(0);
  }

  private static Map<String, GenericXdsConfig> byName(ClientConfig config) {
    return config.getGenericXdsConfigsList().stream()
        .collect(
            Collectors.toMap(
                each -> each.getTypeUrl().replaceFirst(".*\\.", "") + " " + each.getName(),
                Function.identity()));
  }

  @Conformance({"A40-01", "A40-03"})
  @Test
  void csdsListsEachResourceWithWhatIsInUseAndWhatWasRefused() throws Exception {
    ManagedChannel channel = startReady();

    ClientConfig before = fetch(channel);

    assertThat(before.getNode().getId()).isEqualTo(Mesh.NODE);
    assertThat(before.getNode().getUserAgentName()).isEqualTo("outrigger");
    assertThat(byName(before))
        .containsOnlyKeys(
            "Listener orders", "RouteConfiguration routes", "Cluster A", "ClusterLoadAssignment A")
        .allSatisfy(
            (name, each) -> {
              assertThat(each.getClientStatus()).isEqualTo(ClientResourceStatus.ACKED);
              assertThat(each.getVersionInfo()).isNotEmpty();
              assertThat(each.getXdsConfig().getTypeUrl()).isEqualTo(each.getTypeUrl());
              assertThat(each.hasLastUpdated()).isTrue();
              assertThat(each.hasErrorState()).isFalse();
            });
    Cluster inUse = byName(before).get("Cluster A").getXdsConfig().unpack(Cluster.class);
    assertThat(inUse.getName()).isEqualTo("A");

    controlPlane.serve(
        "{\"@type\":\"type.googleapis.com/envoy.config.cluster.v3.Cluster\",\"name\":\"A\","
            + "\"type\":\"EDS\",\"eds_cluster_config\":{\"eds_config\":{\"ads\":{}}},"
            + "\"outlier_detection\":{\"interval\":\"-1s\"}}");
    Await.until(
        "the refusal shows",
        () ->
            byName(fetch(channel)).get("Cluster A").getClientStatus()
                == ClientResourceStatus.NACKED);

    GenericXdsConfig refused = byName(fetch(channel)).get("Cluster A");
    assertThat(refused.getXdsConfig().unpack(Cluster.class)).isEqualTo(inUse);
    assertThat(refused.getVersionInfo())
        .isEqualTo(byName(before).get("Cluster A").getVersionInfo());
    assertThat(refused.getErrorState().getDetails()).contains("outlier_detection.interval");
    assertThat(refused.getErrorState().getVersionInfo())
        .isNotEmpty()
        .isNotEqualTo(refused.getVersionInfo());
    assertThat(refused.getErrorState().hasLastUpdateAttempt()).isTrue();
    assertThat(
            refused
                .getErrorState()
                .getFailedConfiguration()
                .unpack(Cluster.class)
                .hasOutlierDetection())
        .isTrue();
    assertThat(configDump()).as("the same over HTTP").isEqualTo(throughJson(fetch(channel)));
    JsonObject history =
        mesh.admin()
            .get("/xds?name=A")
            .object()
            .getAsJsonArray("resources")
            .get(0)
            .getAsJsonObject();
    assertThat(history.getAsJsonArray("changes")).hasSize(2);
    assertThat(
            history.getAsJsonArray("changes").get(1).getAsJsonObject().get("details").getAsString())
        .contains("outlier_detection.interval: is negative");
  }

  private ClientConfig configDump() throws Exception {
    return parsed(mesh.admin().get("/config_dump").body());
  }

  /** The same with the bytes of resources as a JSON reader would write them. */
  private static ClientConfig throughJson(ClientConfig config) throws Exception {
    return parsed(JsonFormat.printer().usingTypeRegistry(TYPES).print(config));
  }

  private static ClientConfig parsed(String json) throws Exception {
    var config = ClientConfig.newBuilder();
    JsonFormat.parser().usingTypeRegistry(TYPES).merge(json, config);
    return config.build();
  }

  @Conformance("A40-02")
  @Test
  void nodeMatchersAreRefused() throws Exception {
    ManagedChannel channel = startReady();
    ClientStatusRequest matching =
        ClientStatusRequest.newBuilder().addNodeMatchers(NodeMatcher.getDefaultInstance()).build();

    var refused =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () ->
                ClientStatusDiscoveryServiceGrpc.newBlockingStub(channel)
                    .fetchClientStatus(matching));
    var stream = new Recorded<ClientStatusResponse>();
    ClientStatusDiscoveryServiceGrpc.newStub(channel).streamClientStatus(stream).onNext(matching);

    assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(stream.next()).isEqualTo("error INVALID_ARGUMENT");
  }

  @Conformance("A40-01")
  @Test
  void aStreamAnswersEachRequestWithWhatIsKnownThen() throws Exception {
    ManagedChannel channel = startReady();
    var stream = new Recorded<ClientStatusResponse>();
    StreamObserver<ClientStatusRequest> requests =
        ClientStatusDiscoveryServiceGrpc.newStub(channel).streamClientStatus(stream);

    requests.onNext(ClientStatusRequest.getDefaultInstance());
    var first = (ClientStatusResponse) stream.next();
    controlPlane.remove(ResourceType.CLUSTER, "A");
    Await.until(
        "the deletion shows",
        () ->
            byName(fetch(channel)).get("Cluster A").getClientStatus()
                == ClientResourceStatus.DOES_NOT_EXIST);
    requests.onNext(ClientStatusRequest.newBuilder().setExcludeResourceContents(true).build());
    requests.onCompleted();
    var second = (ClientStatusResponse) stream.next();

    assertThat(byName(first.getConfig(0)).get("Cluster A").getClientStatus())
        .isEqualTo(ClientResourceStatus.ACKED);
    assertThat(byName(second.getConfig(0)).get("Cluster A").getClientStatus())
        .isEqualTo(ClientResourceStatus.DOES_NOT_EXIST);
    assertThat(second.getConfig(0).getGenericXdsConfigsList())
        .noneMatch(GenericXdsConfig::hasXdsConfig);
    assertThat(stream.next()).isEqualTo("completed");
  }

  @Conformance("A40-04")
  @Test
  void clientsOfTheirOwnAreToldApartByTheirTarget() throws Exception {
    mesh.fallback();
    ManagedChannel channel = startReady();

    assertThat(fetch(channel).getClientScope()).isEqualTo("xds:///orders");
  }

  @Test
  void healthIsThatOfTheForwardsAndEndsWithADrain() throws Exception {
    controlPlane.mute(true);
    mesh.start();
    ManagedChannel channel = channel();
    Await.until("waiting", () -> health(channel, Mesh.FORWARD) == ServingStatus.NOT_SERVING);
    Await.until("all waiting", () -> health(channel, "") == ServingStatus.NOT_SERVING);

    controlPlane.mute(false);
    controlPlane.serve(
        Xds.cluster("A"), Xds.endpoints("A", mesh.backend("a")), Xds.inlineListener("orders", "A"));
    Await.until("serving", () -> health(channel, Mesh.FORWARD) == ServingStatus.SERVING);
    Await.until("all serving", () -> health(channel, "") == ServingStatus.SERVING);
    var unknown =
        catchThrowableOfType(StatusRuntimeException.class, () -> health(channel, "nobody"));
    assertThat(unknown.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);

    var unused = mesh.proxy().drain();
    Await.until("draining", () -> health(channel, "") == ServingStatus.NOT_SERVING);
    Await.until("forward", () -> health(channel, Mesh.FORWARD) == ServingStatus.NOT_SERVING);
  }

  private static ServingStatus health(ManagedChannel channel, String service) {
    try {
      return HealthGrpc.newBlockingStub(channel)
          .check(HealthCheckRequest.newBuilder().setService(service).build())
          .getStatus();
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Status.Code.NOT_FOUND && !service.equals("nobody")) {
        return ServingStatus.SERVICE_UNKNOWN; // not told yet
      }
      throw e;
    }
  }

  @Test
  void channelzShowsTheChannelToTheControlPlane() throws Exception {
    ManagedChannel channel = startReady();

    var top =
        ChannelzGrpc.newBlockingStub(channel)
            .getTopChannels(GetTopChannelsRequest.getDefaultInstance());

    assertThat(top.getChannelList())
        .filteredOn(each -> each.getData().getTarget().equals(controlPlane.target()))
        .as("there may be one of a control plane that had this port before")
        .anySatisfy(each -> assertThat(each.getData().getCallsStarted()).isPositive());
  }

  @Test
  void reflectionListsTheServices() throws Exception {
    ManagedChannel channel = startReady();
    var stream = new Recorded<ServerReflectionResponse>();
    StreamObserver<ServerReflectionRequest> requests =
        ServerReflectionGrpc.newStub(channel).serverReflectionInfo(stream);

    requests.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
    var answer = (ServerReflectionResponse) stream.next();
    requests.onCompleted();

    assertThat(answer.getListServicesResponse().getServiceList())
        .extracting(ServiceResponse::getName)
        .containsExactlyInAnyOrder(
            "envoy.service.status.v3.ClientStatusDiscoveryService",
            "grpc.health.v1.Health",
            "grpc.channelz.v1.Channelz",
            "grpc.reflection.v1.ServerReflection",
            "grpc.reflection.v1alpha.ServerReflection");
  }

  @Test
  void offUnlessAskedFor() throws Exception {
    try (var plain = new Mesh()) {
      plain.start();

      assertThat(plain.proxy().address(Flag.ADMIN_GRPC)).isEmpty();
    }
  }

  /** What came of a stream, in its order: messages, {@code error CODE}, {@code completed}. */
  private static final class Recorded<T> implements StreamObserver<T> {
    private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();

    Object next() throws InterruptedException {
      Object next = heard.poll(Await.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      assertThat(next).isNotNull();
      return next;
    }

    @Override
    public void onNext(T message) {
      heard.add(message);
    }

    @Override
    public void onError(Throwable failure) {
      heard.add("error " + Status.fromThrowable(failure).getCode());
    }

    @Override
    public void onCompleted() {
      heard.add("completed");
    }
  }
}

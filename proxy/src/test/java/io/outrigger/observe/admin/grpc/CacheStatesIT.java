package io.outrigger.observe.admin.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.admin.v3.ClientResourceStatus;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.service.status.v3.ClientConfig.GenericXdsConfig;
import io.envoyproxy.envoy.service.status.v3.ClientStatusDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.status.v3.ClientStatusRequest;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.outrigger.base.RpcStatus;
import io.outrigger.observe.admin.AdminBudget;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.cache.CacheEntry.DataError;
import io.outrigger.xds.cache.CacheState;
import io.outrigger.xds.status.XdsStatusView;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Each state of A88 as CSDS shows it over the wire. */
@Timeout(600)
class CacheStatesIT {
  private static final RawResource IN_USE =
      new RawResource(
          ResourceType.CLUSTER.typeUrl(),
          Cluster.newBuilder().setName("pay").build().toByteArray());

  private final AdminGrpcServer server;
  private final ManagedChannel channel;
  private XdsStatusView view = new XdsStatusView(List.of());

  CacheStatesIT() throws Exception {
    server =
        LoopbackServer.start(
            () -> CompletableFuture.completedStage(view), new AdminBudget(1 << 20));
    channel = NettyChannelBuilder.forAddress(server.address()).usePlaintext().build();
  }

  @AfterEach
  void stop() throws Exception {
    channel.shutdownNow().awaitTermination(60, TimeUnit.SECONDS);
    server.close();
  }

  private GenericXdsConfig shown(
      CacheState state, Optional<RawResource> inUse, Optional<DataError> error) {
    var resource =
        new XdsStatusView.Resource(
            "cds",
            ResourceType.CLUSTER.typeUrl(),
            "pay",
            state.label(),
            inUse.isPresent() ? "7" : "",
            inUse.map(any -> Instant.EPOCH),
            inUse,
            error,
            Optional.empty(),
            List.of());
    view =
        new XdsStatusView(
            List.of(new XdsStatusView.Client("", List.of(), List.of(), List.of(resource))));
    return ClientStatusDiscoveryServiceGrpc.newBlockingStub(channel)
        .fetchClientStatus(ClientStatusRequest.getDefaultInstance())
        .getConfig(0)
        .getGenericXdsConfigs(0);
  }

  @Conformance("A88-36")
  @ParameterizedTest
  @EnumSource
  void everyStateHasItsStatus(CacheState state) {
    GenericXdsConfig shown = shown(state, Optional.empty(), Optional.empty());

    String name = state == CacheState.STALE ? "ACKED" : state.name(); // CSDS has no STALE
    assertThat(shown.getClientStatus()).isEqualTo(ClientResourceStatus.valueOf(name));
    assertThat(shown.getVersionInfo()).isEmpty();
    assertThat(shown.hasXdsConfig()).isFalse();
    assertThat(shown.hasErrorState()).isFalse();
  }

  @Conformance("A88-36")
  @ParameterizedTest
  @CsvSource({
    "DOES_NOT_EXIST, false, DOES_NOT_EXIST",
    "NACKED, true, NACKED",
    "RECEIVED_ERROR, false, RECEIVED_ERROR",
    "STALE, true, NACKED",
    "STALE, false, RECEIVED_ERROR",
  })
  void whatIsStillInUseStandsBesideTheError(
      CacheState state, boolean isRefused, ClientResourceStatus status) throws Exception {
    Optional<RawResource> refused = isRefused ? Optional.of(IN_USE) : Optional.empty();
    var error = new DataError(RpcStatus.unavailable("what is wrong"), "8", refused, Instant.EPOCH);

    GenericXdsConfig shown = shown(state, Optional.of(IN_USE), Optional.of(error));

    assertThat(shown.getClientStatus()).isEqualTo(status);
    assertThat(shown.getVersionInfo()).isEqualTo("7");
    assertThat(shown.getXdsConfig().unpack(Cluster.class).getName()).isEqualTo("pay");
    assertThat(shown.getErrorState().getDetails()).isEqualTo("what is wrong");
    assertThat(shown.getErrorState().getVersionInfo()).isEqualTo("8");
  }
}

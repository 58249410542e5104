package io.outrigger.oracle;

import com.google.gson.Gson;
import com.google.protobuf.Any;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.NameResolverRegistry;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.xds.XdsNameResolverProvider;
import io.outrigger.program.testing.mesh.MeshResources;
import io.outrigger.program.testing.mesh.Sidecar;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.testing.ScriptedAdsServer;
import io.outrigger.xds.testing.ScriptedAdsServer.Stream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Two ADS streams, of the sidecar and of gRPC's own client, which are sent the same resources. */
final class Verdicts implements AutoCloseable {
  static final String TARGET = "orders";
  static final String CLUSTER = "pay";

  /** For both: an instance whose files nobody opens. */
  private static final Map<String, ?> CERTIFICATE_PROVIDERS =
      Map.of(
          "mesh",
          Map.of(
              "plugin_name",
              "file_watcher",
              "config",
              Map.of(
                  "certificate_file", "/nowhere/c",
                  "private_key_file", "/nowhere/k",
                  "ca_certificate_file", "/nowhere/r")));

  private static final AtomicInteger schemes = new AtomicInteger();

  private final ScriptedAdsServer server = ScriptedAdsServer.start();
  private final Sidecar sidecar;
  private final XdsNameResolverProvider resolver;
  private final Client grpcJava;
  private final Stream ours;
  private final Stream theirs;
  private int sent;

  /** Whether each accepted a resource, by what reason if not. */
  record Verdict(String outrigger, String grpcJava) {
    static final String ACK = "ACK";

    boolean isAccepted(boolean byOutrigger, boolean byGrpcJava) {
      return outrigger.equals(ACK) == byOutrigger && grpcJava.equals(ACK) == byGrpcJava;
    }
  }

  Verdicts() {
    var bootstrap = new HashMap<String, Object>(Twins.bootstrap(server.port()));
    bootstrap.put("certificate_providers", CERTIFICATE_PROVIDERS);
    sidecar = Sidecar.start(new Gson().toJson(bootstrap), TARGET);
    ours = server.awaitStream();
    String scheme = "verdicts-" + schemes.incrementAndGet();
    resolver = XdsNameResolverProvider.createForTest(scheme, bootstrap);
    NameResolverRegistry.getDefaultRegistry().register(resolver);
    var channel = NettyChannelBuilder.forTarget(scheme + ":///" + TARGET).usePlaintext().build();
    grpcJava = new Client(channel);
    channel.getState(true);
    theirs = server.awaitStream();
    for (Stream stream : List.of(ours, theirs)) {
      subscribe(stream, ResourceType.LISTENER, MeshResources.listener(TARGET));
      var route = MeshResources.route(MeshResources.prefix("/"), CLUSTER);
      var host = MeshResources.host(TARGET, List.of(route));
      subscribe(stream, ResourceType.ROUTE, MeshResources.routes(List.of(host)));
      subscribe(stream, ResourceType.CLUSTER, MeshResources.cluster(CLUSTER));
      subscribe(stream, ResourceType.ENDPOINT, MeshResources.assignment(CLUSTER));
    }
  }

  private void subscribe(Stream stream, ResourceType<?> type, Message resource) {
    stream.awaitRequest(type);
    stream.respond(type, "first", Any.pack(resource));
  }

  /** Sends a resource to both and waits until both have said what they think of it. */
  Verdict of(ResourceType<?> type, Message resource) {
    sent++;
    var response =
        DiscoveryResponse.newBuilder()
            .setTypeUrl(type.typeUrl())
            .setVersionInfo("v" + sent)
            .setNonce("case-" + sent)
            .addResources(Any.pack(resource))
            .build();
    return new Verdict(of(ours, response), of(theirs, response));
  }

  private static String of(Stream stream, DiscoveryResponse response) {
    stream.respond(response);
    DiscoveryRequest reply =
        stream.awaitRequest(request -> request.getResponseNonce().equals(response.getNonce()));
    return reply.hasErrorDetail() ? reply.getErrorDetail().getMessage() : Verdict.ACK;
  }

  @Override
  public void close() {
    grpcJava.close();
    NameResolverRegistry.getDefaultRegistry().deregister(resolver);
    sidecar.close();
    server.close();
  }
}

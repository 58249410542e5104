package io.outrigger.abuse;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.ENDPOINT;
import static io.outrigger.xds.ResourceType.LISTENER;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.rpc.Status;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.ResourceError;
import io.envoyproxy.envoy.service.discovery.v3.ResourceName;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.testing.JsonResources;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Responses of a control plane that fill the process or keep it busy, always about the service
 * {@code down}. Afterwards a good configuration has to be taken.
 */
final class ControlAttacks {
  private static final String NAME = AttackedSidecar.Forward.DOWN.text();

  private static final Duration TAKEN = Duration.ofSeconds(20);

  private ControlAttacks() {}

  /** In 16 MB there is room for eight million of them. */
  static void emptyResources(AttackRun run) {
    byte[] message =
        response(ENDPOINT)
            .build()
            .toByteString()
            .concat(empty(DiscoveryResponse.RESOURCES_FIELD_NUMBER))
            .toByteArray();
    floods(run, i -> message);
  }

  static void emptyEndpoints(AttackRun run) {
    Any resource =
        any(
            ENDPOINT,
            ClusterLoadAssignment.newBuilder()
                .setClusterName(NAME)
                .build()
                .toByteString()
                .concat(empty(ClusterLoadAssignment.ENDPOINTS_FIELD_NUMBER)));
    byte[] message = response(ENDPOINT).addResources(resource).build().toByteArray();
    floods(run, i -> message);
  }

  static void longTexts(AttackRun run) {
    String text = "ü".repeat(1_500_000);
    floods(
        run,
        i ->
            response(LISTENER)
                .setVersionInfo(i + text)
                .setNonce(text + i)
                .addResourceErrors(
                    ResourceError.newBuilder()
                        .setResourceName(ResourceName.newBuilder().setName(NAME))
                        .setErrorDetail(Status.newBuilder().setCode(14).setMessage(i + text)))
                .build()
                .toByteArray());
  }

  static void flapping(AttackRun run) {
    floods(
        run,
        i ->
            response(ENDPOINT)
                .setVersionInfo("flap " + i)
                .addResources(
                    JsonResources.any(JsonResources.endpoints(NAME, "127.0.0." + (1 + i % 9))))
                .build()
                .toByteArray());
  }

  static void unwantedResources(AttackRun run) {
    var all = response(CLUSTER);
    for (int i = 0; i < 10_000; i++) {
      all.addResources(JsonResources.any(JsonResources.cluster("unwanted-" + i)));
    }
    byte[] message = all.build().toByteArray();
    floods(run, i -> message);
  }

  /** Routes to as many clusters as are taken, and to so many that they are refused. */
  static void manyClusters(AttackRun run) {
    run.controlPlane().others(ControlAttacks::made);
    for (int count : new int[] {1_000, 30_000}) {
      byte[] message = routes(run, count);
      run.lastsFor(Duration.ofSeconds(1));
      run.await(() -> run.controlPlane().send(() -> message));
      run.waitOut();
    }
    end(run);
  }

  private static byte[] routes(AttackRun run, int clusters) {
    String routes =
        IntStream.range(0, clusters)
            .mapToObj(
                i ->
                    "{\"match\":{\"prefix\":\"/%1$d\"},\"route\":{\"cluster\":\"c%1$d\"}},"
                        .formatted(i))
            .collect(Collectors.joining());
    String listener = JsonResources.listener(NAME, NAME);
    return response(LISTENER)
        .addResources(
            run.controlPlane().resource(LISTENER, AttackedSidecar.Forward.NEIGHBOUR.text()))
        .addResources(JsonResources.any(listener.replace("\"routes\":[", "\"routes\":[" + routes)))
        .build()
        .toByteArray();
  }

  private static Optional<Any> made(String typeAndName) {
    String name = typeAndName.substring(typeAndName.indexOf(' ') + 1);
    return switch (typeAndName.substring(0, typeAndName.indexOf(' '))) {
      case "Cluster" -> {
        var cluster = Cluster.newBuilder().setName(name).setType(Cluster.DiscoveryType.EDS);
        cluster.getEdsClusterConfigBuilder().getEdsConfigBuilder().getAdsBuilder();
        yield Optional.of(any(CLUSTER, cluster.build().toByteString()));
      }
      case "ClusterLoadAssignment" ->
          Optional.of(
              any(
                  ENDPOINT,
                  ClusterLoadAssignment.newBuilder().setClusterName(name).build().toByteString()));
      default -> Optional.empty();
    };
  }

  private static void floods(AttackRun run, IntFunction<byte[]> message) {
    run.lastsFor(Duration.ofMillis(run.scaled(1_000, 10_000)));
    int sent = 0;
    for (int i = 0; run.goesOn(); i++) {
      int next = i;
      sent += run.await(() -> run.controlPlane().send(() -> message.apply(next))) ? 1 : 0;
    }
    if (sent == 0) {
      run.complain("the control plane could send nothing");
    }
    end(run);
  }

  private static void end(AttackRun run) {
    run.controlPlane().restore();
    run.lastsFor(TAKEN); // what sockets still hold is applied before
    if (!run.await(run.controlPlane()::isTaken)) {
      run.complain("a good configuration was not taken");
    }
  }

  /** Empty messages in a field, of 16 MB. */
  private static ByteString empty(int field) {
    var fields = new byte[16_000_000];
    for (int i = 0; i < fields.length; i += 2) {
      fields[i] = (byte) (field << 3 | 2);
    }
    return ByteString.copyFrom(fields);
  }

  private static DiscoveryResponse.Builder response(ResourceType<?> type) {
    return DiscoveryResponse.newBuilder().setTypeUrl(type.typeUrl()).setNonce("hostile");
  }

  private static Any any(ResourceType<?> type, ByteString content) {
    return Any.newBuilder().setTypeUrl(type.typeUrl()).setValue(content).build();
  }
}

package io.outrigger.oracle;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.outrigger.oracle.TrafficStory.Step;
import io.outrigger.oracle.TrafficStory.Way;
import io.outrigger.program.testing.mesh.MeshResources;
import io.outrigger.xds.ResourceType;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Has both clients judge resources: ACK or NACK. They agree on each, but for what {@link
 * KnownDifferences} takes out of it first.
 */
final class JudgementRun implements AutoCloseable {
  private static final int RESOURCES = 3;

  private final TrafficClient ours;
  private final TrafficClient grpc = new GrpcTrafficClient();

  private JudgementRun(long seed) {
    ours = new OurTrafficClient(seed);
    var routes = TrafficResources.routes(new Step.Routes(Way.PLAIN, Way.NONE));
    for (TrafficClient client : List.of(ours, grpc)) {
      client.serve(
          ResourceType.LISTENER,
          TrafficClient.TARGET,
          Optional.of(MeshResources.listener(TrafficClient.TARGET)));
      client.serve(ResourceType.ROUTE, MeshResources.ROUTES, Optional.of(routes));
      client.attach();
    }
  }

  /** Of a seed: empty if both agree as far as they must, else the smallest resource. */
  static Optional<String> check(long seed) {
    return difference(seed, KnownDifferences::without);
  }

  /**
   * The same.
   *
   * @param change what is done to each resource first
   */
  static Optional<String> difference(long seed, UnaryOperator<Message> change) {
    var random = new RandomResources(new Random(seed));
    return difference(seed, random::tls, change)
        .or(() -> difference(seed, random::subset, change))
        .or(() -> difference(seed, random::routes, change));
  }

  private static Optional<String> difference(
      long seed, Supplier<Message> resources, UnaryOperator<Message> change) {
    try (var run = new JudgementRun(seed)) {
      for (int i = 0; i < RESOURCES; i++) {
        Message resource = change.apply(resources.get());
        if (!run.agree(resource)) {
          Message least = run.least(resource);
          return Optional.of("seed " + seed + ": " + run.judge(least) + "\n" + shown(least));
        }
      }
    }
    return Optional.empty();
  }

  /** How many resources of a seed both accept. */
  static long accepted(long seed) {
    var random = new RandomResources(new Random(seed));
    long accepted = 0;
    for (Supplier<Message> resources :
        List.<Supplier<Message>>of(random::tls, random::subset, random::routes)) {
      try (var run = new JudgementRun(seed)) {
        for (int i = 0; i < RESOURCES; i++) {
          accepted += run.judge(resources.get()).stream().allMatch(StoryServer.ACK::equals) ? 1 : 0;
        }
      }
    }
    return accepted;
  }

  private boolean agree(Message resource) {
    List<String> verdicts = judge(resource);
    if (verdicts.contains("")) {
      throw new AssertionError("no verdict on " + resource);
    }
    return verdicts.get(0).equals(StoryServer.ACK) == verdicts.get(1).equals(StoryServer.ACK);
  }

  private List<String> judge(Message resource) {
    return List.of(judge(ours, resource), judge(grpc, resource));
  }

  private static String judge(TrafficClient client, Message resource) {
    boolean isCluster = resource instanceof Cluster;
    ResourceType<?> type = isCluster ? ResourceType.CLUSTER : ResourceType.ROUTE;
    String name = isCluster ? RandomResources.CLUSTER : MeshResources.ROUTES;
    client.serve(type, name, Optional.of(resource));
    return client.verdict(type);
  }

  /** The smallest one that one finds by leaving fields out, on which they still do not agree. */
  private Message least(Message resource) {
    for (Message each : Reduction.of(resource)) {
      if (isWhole(each) && !agree(each)) {
        return least(each);
      }
    }
    return resource;
  }

  /** Whether nothing is missing that no story is about. */
  private static boolean isWhole(Message resource) {
    return resource instanceof Cluster cluster
        ? isPlain(cluster)
            && (cluster.hasLoadBalancingPolicy()
                || !cluster.getTransportSocket().getName().isEmpty())
        : ((RouteConfiguration) resource).getName().equals(MeshResources.ROUTES);
  }

  private static boolean isPlain(Cluster cluster) {
    return cluster.toBuilder()
        .clearTransportSocket()
        .clearLoadBalancingPolicy()
        .build()
        .equals(MeshResources.cluster(RandomResources.CLUSTER));
  }

  private static String shown(Message resource) {
    if (resource instanceof Cluster cluster) {
      try {
        Any socket = cluster.getTransportSocket().getTypedConfig();
        return KnownDifferences.isTls(cluster)
            ? socket.unpack(KnownDifferences.TLS).toString()
            : cluster.getLoadBalancingPolicy().toString();
      } catch (InvalidProtocolBufferException e) {
        return cluster.toString();
      }
    }
    return ((RouteConfiguration) resource).toString();
  }

  @Override
  public void close() {
    ours.close();
    grpc.close();
  }
}

package io.outrigger.program.app;

import com.google.gson.JsonObject;
import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.Locality;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.outrigger.base.Outcome;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.program.testing.mesh.ControlSide;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.deps.XdsDependencyManager;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.testing.Overlays;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What updates cost the control loop, in CPU time, where much is known ({@code scripts/bench
 * control}): everything from a response to pickers and the selector, with a control plane and
 * connections that cost nothing. Decoding, which has a thread of its own, is timed apart.
 *
 * <p>Arguments: clusters, endpoints in each, changes to time; {@code --json} for programs; {@code
 * --overlay} for {@value #RULES} rules of local policy, of which each cluster is matched by one.
 */
final class ScaleMain {
  private static final int RULES = 100;

  private final ControlSide control = new ControlSide(counting());
  private final int clusters;
  private final int endpoints;
  private final boolean overlaid;
  private int published;
  private long decodeNanos;

  private ScaleMain(int clusters, int endpoints, boolean overlaid) {
    this.overlaid = overlaid;
    this.clusters = clusters;
    this.endpoints = endpoints;
  }

  public static void main(String[] args) {
    List<String> numbers = Arrays.stream(args).filter(arg -> !arg.startsWith("-")).toList();
    int clusters = number(numbers, 0, 10_000);
    int endpoints = number(numbers, 1, 10);
    int changes = number(numbers, 2, 300);
    JsonObject result =
        new ScaleMain(clusters, endpoints, List.of(args).contains("--overlay")).run(changes);
    if (List.of(args).contains("--json")) {
      System.out.println(result);
    } else {
      result.entrySet().forEach(e -> System.out.printf("%-44s %s%n", e.getKey(), e.getValue()));
    }
  }

  private static int number(List<String> numbers, int index, int otherwise) {
    return index < numbers.size() ? Integer.parseInt(numbers.get(index)) : otherwise;
  }

  private JsonObject run(int changes) {
    var all = new JsonObject();
    all.addProperty("clusters", clusters);
    all.addProperty("endpoints", clusters * endpoints);
    double load = 0;
    load += respond(ResourceType.LISTENER, List.of(NumberedClusters.listener()));
    control.ready();
    if (overlaid) {
      control.overlay(rules(1));
    }
    load += respond(ResourceType.ROUTE, List.of(NumberedClusters.routes(clusters)));
    load += respond(ResourceType.CLUSTER, NumberedClusters.clusters(clusters));
    all.addProperty("load without balancing, control loop ms", rounded(load));
    load = respond(ResourceType.ENDPOINT, everyEndpoints());
    all.addProperty("load of endpoints and trees, control loop ms", rounded(load));
    all.addProperty("load, decoding ms", rounded(decodeNanos / 1e6));
    if (published != 1) {
      throw new IllegalStateException("published " + published + " configurations");
    }

    double[] times = new double[changes];
    for (int i = 0; i < 2 * changes; i++) { // the first half warms up
      double millis = respond(ResourceType.ENDPOINT, List.of(endpoints(i % clusters, 1 + i)));
      times[i % changes] = millis;
    }
    if (published != 1 + 2 * changes) {
      throw new IllegalStateException("published " + published + " configurations");
    }
    Arrays.sort(times);
    all.addProperty("one EDS change, control loop ms, median", rounded(times[changes / 2]));
    all.addProperty(
        "one EDS change, control loop ms, 99th", rounded(times[(int) (changes * 0.99)]));
    all.addProperty("one EDS change, control loop ms, longest", rounded(times[changes - 1]));

    if (overlaid) {
      changeOneRule(all);
    }
    int before = published;
    List<Any> same = NumberedClusters.clusters(clusters);
    double again = respond(ResourceType.CLUSTER, same);
    decodeNanos = 0;
    again = Math.min(again, respond(ResourceType.CLUSTER, same));
    all.addProperty("identical re-push, control loop ms", rounded(again));
    all.addProperty("identical re-push, decoding ms", rounded(decodeNanos / 1e6));
    all.addProperty("identical re-push, configurations told", published - before);
    return all;
  }

  /** One rule of all changes: what it matches is decoded again. */
  private void changeOneRule(JsonObject all) {
    int before = published;
    decodeNanos = 0;
    Overlay next = rules(2);
    long start = cpu();
    control.overlay(next);
    long taken = cpu() - start;
    start = cpu();
    control.decode();
    decodeNanos += cpu() - start;
    start = cpu();
    control.settle();
    taken += cpu() - start;
    all.addProperty("one rule changed, control loop ms", rounded(taken / 1e6));
    all.addProperty("one rule changed, decoding ms", rounded(decodeNanos / 1e6));
    all.addProperty("one rule changed, configurations told", published - before);
  }

  /**
   * @param first the limit of the first rule
   */
  private static Overlay rules(int first) {
    var yaml = new StringBuilder("overlay:\n");
    for (int i = 0; i < RULES; i++) {
      yaml.append(
          """
          - name: rule-%d
            clusters: ["cluster-*%02d"]
            patch: {circuit_breakers: {thresholds: [{max_requests: %d}]}}
          """
              .formatted(i, i, i == 0 ? first : 100));
    }
    return Overlays.of(yaml.toString());
  }

  private XdsDependencyManager.Listener counting() {
    return new XdsDependencyManager.Listener() {
      @Override
      public void onConfig(Outcome<XdsConfig> config) {
        published++;
      }

      @Override
      public void onClusters(Map<String, Outcome<ClusterConfig>> changed) {
        published++;
      }
    };
  }

  /** Delivers a response; milliseconds of CPU that it cost the control loop. */
  private double respond(ResourceType<?> type, List<Any> resources) {
    long start = cpu();
    control.deliver(type, resources);
    long taken = cpu() - start;
    start = cpu();
    control.decode();
    decodeNanos += cpu() - start;
    start = cpu();
    control.settle();
    taken += cpu() - start;
    control.forget();
    return taken / 1e6;
  }

  /** Of this thread: what else runs on the machine does not count. */
  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static double rounded(double millis) {
    return Math.round(millis * 100) / 100.0;
  }

  private List<Any> everyEndpoints() {
    return IntStream.range(0, clusters).mapToObj(i -> endpoints(i, 0)).toList();
  }

  /** The endpoints of a cluster; {@code change} makes one of them another. */
  private Any endpoints(int cluster, int change) {
    var locality =
        LocalityLbEndpoints.newBuilder()
            .setLocality(Locality.newBuilder().setRegion("r").setZone("z"))
            .setLoadBalancingWeight(com.google.protobuf.UInt32Value.of(1));
    for (int i = 0; i < endpoints; i++) {
      int port = i == 0 ? 1 + change % 60_000 : 443;
      locality.addLbEndpoints(
          LbEndpoint.newBuilder()
              .setEndpoint(
                  Endpoint.newBuilder()
                      .setAddress(
                          Address.newBuilder()
                              .setSocketAddress(
                                  SocketAddress.newBuilder()
                                      .setAddress(address(cluster * endpoints + i))
                                      .setPortValue(port)))));
    }
    return Any.pack(
        ClusterLoadAssignment.newBuilder()
            .setClusterName(NumberedClusters.cluster(cluster))
            .addEndpoints(locality)
            .build());
  }

  private static String address(int number) {
    return "10.%d.%d.%d".formatted((number >> 16) & 255, (number >> 8) & 255, number & 255);
  }
}

package io.outrigger.xds.deps;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.listener.ListenerResource;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.ScriptedRandom;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.testing.FakeDnsLookup;
import io.outrigger.xds.testing.FakeXdsClient;
import io.outrigger.xds.testing.RecordingConfigs;
import io.outrigger.xds.testing.Resources;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A dependency manager for listener {@code orders} between a fake client and a recorder. */
final class Mesh {
  static final RpcStatus GONE = new RpcStatus(RpcStatus.Code.NOT_FOUND, "does not exist");

  final FakeControlLoop loop = new FakeControlLoop();
  final FakeXdsClient client = new FakeXdsClient();
  final FakeDnsLookup dns = new FakeDnsLookup(loop);
  final RecordingConfigs configs = new RecordingConfigs();
  final List<Outcome<XdsConfig>> published = configs.published();
  final List<Map<String, Outcome<ClusterConfig>>> held = configs.held();
  final ScriptedRandom random = new ScriptedRandom(1);
  final XdsDependencyManager manager =
      new XdsDependencyManager(loop, client, dns, "orders", "orders", "node-1", configs, random);

  /** A mesh whose manager watches already. */
  static Mesh started() {
    var mesh = new Mesh();
    mesh.loop.inside(mesh.manager::start);
    return mesh;
  }

  /** A mesh that routes to these clusters through RDS {@code r1}; their resources are unknown. */
  static Mesh routing(String... clusters) {
    Mesh mesh = started();
    mesh.set(Resources.listener("orders", "r1"));
    mesh.set(Resources.routes("r1", clusters));
    return mesh;
  }

  /** The same with an EDS resource of one endpoint behind each cluster. */
  static Mesh serving(String... clusters) {
    Mesh mesh = routing(clusters);
    for (String cluster : clusters) {
      mesh.eds(cluster, "10.0.0.1");
    }
    return mesh;
  }

  Mesh set(ListenerResource listener) {
    loop.inside(() -> client.set(ResourceType.LISTENER, listener.name(), listener));
    return this;
  }

  Mesh set(RouteTable routes) {
    loop.inside(() -> client.set(ResourceType.ROUTE, routes.name(), routes));
    return this;
  }

  Mesh set(ClusterResource cluster) {
    loop.inside(() -> client.set(ResourceType.CLUSTER, cluster.name(), cluster));
    return this;
  }

  Mesh set(EndpointSet endpoints) {
    loop.inside(() -> client.set(ResourceType.ENDPOINT, endpoints.name(), endpoints));
    return this;
  }

  /** An EDS cluster and its endpoints. */
  Mesh eds(String cluster, String... ips) {
    return set(Resources.eds(cluster)).set(Resources.endpoints(cluster, ips));
  }

  Mesh fail(ResourceType<?> type, String name, RpcStatus status) {
    loop.inside(() -> client.fail(type, name, status));
    return this;
  }

  Mesh ambient(ResourceType<?> type, String name, RpcStatus status) {
    loop.inside(() -> client.ambient(type, name, status));
    return this;
  }

  Mesh ambient(ResourceType<?> type, String name, String text) {
    return ambient(type, name, RpcStatus.unavailable(text));
  }

  Mesh keep(String... clusters) {
    loop.inside(() -> manager.keep(Set.of(clusters)));
    return this;
  }

  /** What was published last. */
  Outcome<XdsConfig> last() {
    return configs.last();
  }

  XdsConfig config() {
    return last()
        .toOptional()
        .orElseThrow(() -> new AssertionError("the target failed: " + last().status()));
  }

  Outcome<ClusterConfig> cluster(String name) {
    Outcome<ClusterConfig> cluster = config().clusters().get(name);
    if (cluster == null) {
      throw new AssertionError(name + " is not among " + config().clusters().keySet());
    }
    return cluster;
  }

  ClusterConfig.Leaf leaf(String name) {
    return (ClusterConfig.Leaf) cluster(name).toOptional().orElseThrow();
  }

  List<String> leavesOf(String aggregate) {
    return ((ClusterConfig.Aggregate) cluster(aggregate).toOptional().orElseThrow()).leaves();
  }

  String note(String cluster) {
    return cluster(cluster).toOptional().orElseThrow().resolutionNote();
  }

  /** The IP addresses of a leaf. */
  List<String> ips(String leaf) {
    return ips(leaf(leaf));
  }

  static List<String> ips(ClusterConfig.Leaf leaf) {
    return leaf.endpoints().toOptional().orElseThrow().priorities().stream()
        .flatMap(List::stream)
        .flatMap(locality -> locality.endpoints().stream())
        .flatMap(endpoint -> endpoint.addresses().stream())
        .map(address -> address.ip())
        .toList();
  }

  Set<String> watched(ResourceType<?> type) {
    return client.watched(type);
  }
}

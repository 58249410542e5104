package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.ResourceType.ROUTE;
import static io.outrigger.xds.stream.FleetFixture.REFUSED;
import static io.outrigger.xds.stream.FleetFixture.server;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.BoolValue;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.AggregatedConfigSource;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.SelfConfigSource;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.LoadReporting;
import io.outrigger.config.route.HostRewrite;
import io.outrigger.config.route.RouteAction.Forward;
import io.outrigger.config.route.RouteTable;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.decode.ResourceDecoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The same bytes mean different things when different servers send them (A27, A71, A81). */
final class DecodeContextScenarioTest {
  private static final ServerFeatures TRUSTED = new ServerFeatures(true, false, false);
  private static final XdsServer FIRST = server("first.test:1", ServerFeatures.NONE);
  private static final XdsServer SECOND = server("second.test:1", ServerFeatures.NONE);
  private static final XdsServer TRUSTED_FIRST = server("first.test:1", TRUSTED);
  private static final XdsServer TRUSTED_SECOND = server("second.test:1", TRUSTED);

  private static final Any REPORTED_CLUSTER =
      Any.pack(
          Cluster.newBuilder()
              .setName("c")
              .setType(Cluster.DiscoveryType.EDS)
              .setEdsClusterConfig(
                  Cluster.EdsClusterConfig.newBuilder()
                      .setEdsConfig(
                          ConfigSource.newBuilder()
                              .setAds(AggregatedConfigSource.getDefaultInstance())))
              .setLrsServer(
                  ConfigSource.newBuilder().setSelf(SelfConfigSource.getDefaultInstance()))
              .build());

  private static final Any REWRITING_ROUTES =
      Any.pack(
          RouteConfiguration.newBuilder()
              .setName("r")
              .addVirtualHosts(
                  VirtualHost.newBuilder()
                      .addDomains("*")
                      .addRoutes(
                          Route.newBuilder()
                              .setMatch(RouteMatch.newBuilder().setPrefix(""))
                              .setRoute(
                                  RouteAction.newBuilder()
                                      .setCluster("c")
                                      .setAutoHostRewrite(BoolValue.of(true)))))
              .build());

  @Test
  @Conformance("A71-09")
  void loadGoesToTheServerThatSentTheClusterLastThoughItsBytesAreTheSame() {
    var fleet = fleet(FIRST, SECOND);
    var clusters = watch(fleet, CLUSTER, "c");
    answer(fleet, FIRST, CLUSTER, REPORTED_CLUSTER);
    assertThat(reportedTo(clusters)).containsExactly(FIRST);

    fallBack(fleet);
    answer(fleet, SECOND, CLUSTER, REPORTED_CLUSTER);
    assertThat(reportedTo(clusters)).containsExactly(FIRST, SECOND);

    fleet.loop.advance(Duration.ofMinutes(3));
    answer(fleet, FIRST, CLUSTER, REPORTED_CLUSTER);
    assertThat(reportedTo(clusters)).containsExactly(FIRST, SECOND, FIRST);
  }

  @Test
  @Conformance("A81-01")
  void whatATrustedServerSentIsNotTrustedWhenAnotherSendsIt() {
    var fleet = fleet(TRUSTED_FIRST, SECOND);
    var routes = watch(fleet, ROUTE, "r");
    answer(fleet, TRUSTED_FIRST, ROUTE, REWRITING_ROUTES);
    fallBack(fleet);
    answer(fleet, SECOND, ROUTE, REWRITING_ROUTES);

    assertThat(rewrites(routes)).containsExactly(true, false);
  }

  @Test
  @Conformance("A81-01")
  void whatATrustedServerSendsIsTrustedThoughAnotherSentItBefore() {
    var fleet = fleet(FIRST, TRUSTED_SECOND);
    var routes = watch(fleet, ROUTE, "r");
    answer(fleet, FIRST, ROUTE, REWRITING_ROUTES);
    fallBack(fleet);
    answer(fleet, TRUSTED_SECOND, ROUTE, REWRITING_ROUTES);

    assertThat(rewrites(routes)).containsExactly(false, true);
  }

  @Test
  void theSameServerSendsTheSameResource() {
    var fleet = fleet(FIRST, SECOND);
    var clusters = watch(fleet, CLUSTER, "c");
    answer(fleet, FIRST, CLUSTER, REPORTED_CLUSTER);
    answer(fleet, FIRST, CLUSTER, REPORTED_CLUSTER);

    assertThat(clusters).hasSize(1);
  }

  private static FleetFixture fleet(XdsServer... servers) {
    return new FleetFixture(List.of(servers), Map.of(), ResourceDecoder::decode);
  }

  /** The first server is gone, and something is missing that the second may have. */
  private static void fallBack(FleetFixture fleet) {
    fleet.at(FIRST.uri()).stream().closeWith(REFUSED);
    fleet.loop.advance(Duration.ofSeconds(2));
    fleet.watch(LISTENER, "missing");
    fleet.fail(FIRST.uri());
  }

  private static void answer(
      FleetFixture fleet, XdsServer server, ResourceType<?> type, Any resource) {
    fleet.at(server.uri()).stream().ready().respond(type, "1", resource);
  }

  /** What the watcher was told, in order. */
  private static <T> List<T> watch(FleetFixture fleet, ResourceType<T> type, String name) {
    List<T> told = new ArrayList<>();
    ResourceWatcher<T> watcher =
        new ResourceWatcher<>() {
          @Override
          public void onChanged(Outcome<T> resource) {
            told.add(
                resource.match(
                    value -> value,
                    failure -> {
                      throw new AssertionError(failure);
                    }));
          }

          @Override
          public void onAmbientError(RpcStatus status) {}
        };
    fleet.loop.inside(
        () -> {
          var unused = fleet.clients.of(FleetFixture.TARGET).watch(type, name, watcher);
        });
    return told;
  }

  private static List<XdsServer> reportedTo(List<ClusterResource> clusters) {
    return clusters.stream()
        .map(cluster -> cluster.loadReporting().map(LoadReporting::server).orElseThrow())
        .toList();
  }

  private static List<Boolean> rewrites(List<RouteTable> tables) {
    return tables.stream()
        .map(table -> (Forward) table.virtualHosts().get(0).routes().get(0).action())
        .map(forward -> forward.hostRewrite() instanceof HostRewrite.OfEndpoint)
        .toList();
  }
}

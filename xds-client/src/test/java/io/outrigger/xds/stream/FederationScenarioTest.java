package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.stream.FleetFixture.authority;
import static io.outrigger.xds.stream.FleetFixture.server;
import static io.outrigger.xds.stream.FleetFixture.servers;
import static io.outrigger.xds.testing.TextResources.invalid;
import static io.outrigger.xds.testing.TextResources.resource;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.rpc.Status;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.ResourceError;
import io.envoyproxy.envoy.service.discovery.v3.ResourceName;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.RecordingWatcher;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A47: the authority in a name says which control plane is asked. */
final class FederationScenarioTest {
  private static final String TOP = "top.test:1";
  private static final String EAST = "east.test:1";
  private static final String TYPE = "/envoy.config.cluster.v3.Cluster/";
  private static final String EASTERN = "xdstp://east" + TYPE + "c";

  private final FleetFixture fleet =
      new FleetFixture(
          servers(TOP),
          Map.of(
              "east", authority(servers(EAST)),
              "same", authority(servers(EAST)),
              "plain", authority(List.of())));

  @Test
  @Conformance("A47-02")
  void theAuthorityOfANameSelectsTheServer() {
    var cluster = fleet.watch(CLUSTER, EASTERN);

    assertThat(fleet.asked(EAST, CLUSTER)).containsExactly(EASTERN);
    assertThat(fleet.at(TOP).streams()).isEmpty();
    fleet.at(EAST).stream().ready().respond(CLUSTER, "1", resource(CLUSTER, EASTERN, "x"));
    assertThat(cluster.take()).containsExactly("ok: x");
  }

  @Test
  @Conformance("A47-02")
  void anUnknownAuthorityFailsAtOnceAndNobodyIsAsked() {
    var cluster = fleet.watch(CLUSTER, "xdstp://west" + TYPE + "c");

    assertThat(cluster.take())
        .containsExactly(
            "failed: UNAVAILABLE: cluster \"xdstp://west/envoy.config.cluster.v3.Cluster/c\":"
                + " authority \"west\" is not among the bootstrap's authorities");
    assertThat(fleet.at(TOP).streams()).isEmpty();
    assertThat(fleet.at(EAST).streams()).isEmpty();
  }

  @Test
  void aNameOfAnotherTypeFailsAtOnce() {
    var listener = fleet.watch(LISTENER, EASTERN);

    assertThat(listener.take())
        .containsExactly(
            "failed: INVALID_ARGUMENT: listener \""
                + EASTERN
                + "\" has no name of the form xdstp://AUTHORITY/envoy.config.listener.v3.Listener/ID");
  }

  @Test
  @Conformance("A47-03")
  void theOrderOfParametersMakesNoOtherResource() {
    var one = fleet.watch(CLUSTER, EASTERN + "?b=2&a=1");
    var two = fleet.watch(CLUSTER, EASTERN + "?a=1&b=2");

    assertThat(fleet.asked(EAST, CLUSTER)).containsExactly(EASTERN + "?a=1&b=2");
    fleet.at(EAST).stream()
        .ready()
        .respond(CLUSTER, "1", resource(CLUSTER, EASTERN + "?b=2&a=1", "x"));
    assertThat(one.take()).containsExactly("ok: x");
    assertThat(two.take()).containsExactly("ok: x");

    fleet.at(EAST).stream().respond(CLUSTER, "2", invalid(CLUSTER, EASTERN + "?b=2&a=1", "bad"));
    assertThat(one.take()).hasSize(1).first().asString().startsWith("ambient: INVALID_ARGUMENT");
    fleet.at(EAST).stream()
        .respond(
            DiscoveryResponse.newBuilder()
                .setTypeUrl(CLUSTER.typeUrl())
                .addResourceErrors(
                    ResourceError.newBuilder()
                        .setResourceName(ResourceName.newBuilder().setName(EASTERN + "?b=2&a=1"))
                        .setErrorDetail(Status.newBuilder().setCode(7).setMessage("no"))));
    assertThat(one.take()).hasSize(1).first().asString().startsWith("ambient: PERMISSION_DENIED");
  }

  @Test
  @Conformance("A47-04")
  void oldNamesGoToTheTopLevelServersAndSoDoAuthoritiesWithoutServers() {
    fleet.watch(CLUSTER, "c");
    fleet.watch(CLUSTER, "xdstp://plain" + TYPE + "c");

    assertThat(fleet.asked(TOP, CLUSTER)).containsExactly("c", "xdstp://plain" + TYPE + "c");
    assertThat(fleet.at(EAST).streams()).isEmpty();
  }

  @Test
  @Conformance("A47-07")
  void oneAuthoritysTroubleStaysThere() {
    var old = fleet.watch(CLUSTER, "c");
    var eastern = fleet.watch(CLUSTER, EASTERN);
    fleet.at(TOP).stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));

    fleet.fail(EAST);

    assertThat(eastern.take()).hasSize(1).first().asString().startsWith("failed: UNAVAILABLE");
    assertThat(old.take()).containsExactly("ok: x");
    fleet.at(TOP).stream().respond(CLUSTER, "2", resource(CLUSTER, "c", "y"));
    assertThat(old.take()).containsExactly("ok: y");
  }

  @Test
  @Conformance({"A47-08", "A57-37"})
  void equalServersShareChannelAndStream() {
    var east = fleet.watch(CLUSTER, EASTERN);
    var same = fleet.watch("xds:///other", CLUSTER, "xdstp://same" + TYPE + "c");

    assertThat(fleet.at(EAST).streams()).hasSize(1);
    assertThat(fleet.asked(EAST, CLUSTER)).containsExactly(EASTERN, "xdstp://same" + TYPE + "c");
    fleet.at(EAST).stream()
        .ready()
        .respond(
            CLUSTER,
            "1",
            resource(CLUSTER, EASTERN, "x"),
            resource(CLUSTER, "xdstp://same" + TYPE + "c", "y"));
    assertThat(east.take()).containsExactly("ok: x");
    assertThat(same.take()).containsExactly("ok: y");
    fleet.fail(EAST);
    fleet.loop.advance(Duration.ofSeconds(2));
    fleet.fail(EAST);
    assertThat(east.take()).hasSize(1);
    assertThat(same.take()).as("an outage concerns every user").hasSize(1);
  }

  @Test
  @Conformance("A88-17")
  void eachResourceFollowsTheFeaturesOfItsServer() {
    var strict = new ServerFeatures(false, true, true);
    var two =
        new FleetFixture(
            List.of(server(TOP, ServerFeatures.NONE)),
            Map.of("east", authority(List.of(server(EAST, strict)))));
    var old = two.watch(CLUSTER, "c");
    var eastern = two.watch(CLUSTER, EASTERN);
    two.at(TOP).stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));
    two.at(EAST).stream().ready().respond(CLUSTER, "1", resource(CLUSTER, EASTERN, "x"));
    old.take();
    eastern.take();

    two.at(TOP).stream().respond(CLUSTER, "2", invalid(CLUSTER, "c", "bad"));
    two.at(EAST).stream().respond(CLUSTER, "2", invalid(CLUSTER, EASTERN, "bad"));

    assertThat(old.take()).hasSize(1).first().asString().startsWith("ambient: INVALID_ARGUMENT");
    assertThat(eastern.take()).hasSize(1).first().asString().startsWith("failed: INVALID_ARGUMENT");
    two.watch(CLUSTER, "d");
    two.watch(CLUSTER, "xdstp://east" + TYPE + "d");
    two.loop.advance(Duration.ofSeconds(15));
    assertThat(two.status().resources())
        .filteredOn(resource -> resource.name().endsWith("d"))
        .extracting("state")
        .containsExactly("does_not_exist", "requested");
  }

  @Test
  void theStatusNamesEachAuthorityWithItsServers() {
    fleet.watch(CLUSTER, EASTERN);

    assertThat(fleet.status().clients().get(0).authorities())
        .extracting("name", "servers", "inUse")
        .containsExactly(tuple("", List.of(TOP), 0), tuple("east", List.of(EAST), 1));
  }

  @Test
  void aWatchThatFailedAtOnceMayBeClosed() {
    String unknown = "xdstp://west" + TYPE + "c";
    var watch = fleet.watch(FleetFixture.TARGET, CLUSTER, unknown, new RecordingWatcher<>());
    var other = fleet.watch(FleetFixture.TARGET, LISTENER, EASTERN, new RecordingWatcher<>());

    fleet.loop.inside(watch::close);
    fleet.loop.inside(other::close);

    assertThat(fleet.status().resources()).isEmpty();
  }
}

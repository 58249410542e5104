package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.LISTENER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsRequest;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.load.ClusterLoad;
import io.outrigger.config.load.LoadSource;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.ServerStream;
import io.outrigger.xds.report.LrsTransport;
import io.outrigger.xds.status.XdsStatusView;
import io.outrigger.xds.testing.RecordingWatcher;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What the clients of a process share. */
final class AdsClientsTest {
  private static final XdsServer SERVER = FleetFixture.server("cp.test:443", ServerFeatures.NONE);

  private final AdsFixture ads = new AdsFixture();
  private final OpenReports reports = new OpenReports();

  @Test
  void everyCallBelongsToTheControlLoop() {
    ads.loop.inside(() -> ads.clients.reportLoad(new Counted(Set.of())));
    List<ThrowingCallable> calls =
        List.of(
            () -> ads.client.watch(CLUSTER, "c", new RecordingWatcher<>()),
            ads.clients::status,
            () -> ads.clients.connect("orders"),
            () -> ads.clients.reportLoad(new Counted(Set.of())),
            ads.clients::close);

    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call).hasMessageContaining("not inside the control loop");
    }
  }

  private void watchAsServer(AdsClients clients, FakeControlLoop loop, String name) {
    loop.inside(
        () -> {
          var unused = clients.ofServers().watch(LISTENER, name, new RecordingWatcher<>());
        });
  }

  @Test
  @Conformance("A36-25")
  void servedAddressesShareTheStreamOfTargetsAndHaveAScopeOfTheirOwn() {
    watchAsServer(ads.clients, ads.loop, "in");
    assertThat(ads.status().clients())
        .extracting(XdsStatusView.Client::scope)
        .containsExactly("#server");

    ads.watch(LISTENER, "orders");

    assertThat(ads.transport.openStreams()).hasSize(1);
    assertThat(ads.status().clients())
        .extracting(
            XdsStatusView.Client::scope,
            client -> client.resources().stream().map(XdsStatusView.Resource::name).toList(),
            client -> client.servers().size())
        .containsExactly(tuple("", List.of("orders"), 1), tuple("#server", List.of("in"), 1));
  }

  @Test
  @Conformance("A36-25")
  void withFallbackServedAddressesHaveAClientOfTheirOwn() {
    var fleet = new FleetFixture("first:1", "second:1");
    fleet.watch(FleetFixture.TARGET, LISTENER, "orders");
    watchAsServer(fleet.clients, fleet.loop, "in");

    assertThat(fleet.at("first:1").openStreams()).hasSize(2);
    assertThat(fleet.status().clients())
        .extracting(XdsStatusView.Client::scope)
        .containsExactly(FleetFixture.TARGET, "#server");
  }

  @Test
  void aListenerIsConnectedToThePreferredServerOfItsAuthority() {
    assertThat(connected("orders")).containsExactly("first:1");
    assertThat(connected("xdstp://far/envoy.config.listener.v3.Listener/orders"))
        .containsExactly("far:1");
    assertThat(connected("xdstp://near/envoy.config.listener.v3.Listener/orders"))
        .containsExactly("first:1");
    assertThat(connected("xdstp://unknown/envoy.config.listener.v3.Listener/orders")).isEmpty();
  }

  /** Returns the servers to which a client begins to connect for a listener, without a watch. */
  private static List<String> connected(String listener) {
    var fleet =
        new FleetFixture(
            FleetFixture.servers("first:1", "second:1"),
            Map.of(
                "far", FleetFixture.authority(FleetFixture.servers("far:1", "farther:1")),
                "near", FleetFixture.authority(List.of())));
    fleet.loop.inside(() -> fleet.clients.connect(listener));
    assertThat(fleet.transports.values()).allMatch(each -> each.streams().isEmpty());
    return fleet.transports.entrySet().stream()
        .filter(each -> each.getValue().isConnecting())
        .map(each -> each.getKey().uri())
        .toList();
  }

  @Test
  void loadIsReportedToTheServersThatItIsCountedForUntilTheEnd() {
    ads.transport.takingLoadReports(reports);

    ads.loop.inside(() -> ads.clients.reportLoad(new Counted(Set.of(SERVER))));
    assertThat(reports.isClosed).isFalse();
    ads.loop.inside(ads.clients::close);

    assertThat(reports.isClosed).isTrue();
  }

  @Test
  void loadIsReportedOnce() {
    ads.loop.inside(() -> ads.clients.reportLoad(new Counted(Set.of())));

    assertThatThrownBy(() -> ads.loop.inside(() -> ads.clients.reportLoad(new Counted(Set.of()))))
        .hasMessage("load is reported already");
  }

  @Test
  void loadIsNotReportedToAServerThatTakesNone() {
    assertThatThrownBy(
            () -> ads.loop.inside(() -> ads.clients.reportLoad(new Counted(Set.of(SERVER)))))
        .hasMessage("cp.test:443 takes no load reports");
  }

  /** Something is counted for these servers all the time. */
  private record Counted(Set<XdsServer> servers) implements LoadSource {
    @Override
    public void onServersChanged(Runnable listener) {}

    @Override
    public List<ClusterLoad> take(XdsServer server, Predicate<String> asked) {
      return List.of();
    }
  }

  /** One stream of load reports to a server that asks for none. */
  private static final class OpenReports implements LrsTransport, ServerStream<LoadStatsRequest> {
    private boolean isClosed;

    @Override
    public ServerStream<LoadStatsRequest> open(LrsTransport.Listener listener) {
      return this;
    }

    @Override
    public void send(LoadStatsRequest request) {}

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void requestNext() {}

    @Override
    public void close() {
      isClosed = true;
    }
  }
}

package io.outrigger.lb.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.cluster.PropagatedMetrics;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.load.ClusterLoad;
import io.outrigger.config.load.MetricTotal;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.DelegatingSubchannel;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.load.LoadRegistry.LoadMeter;
import io.outrigger.lb.load.LoadSums;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.RecordedListener;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the wrapper passes on, and what it tells the two meters. */
class CountedSubchannelTest {
  private static final Locality HERE = new Locality("r", "here", "");
  private static final Locality THERE = new Locality("r", "there", "");
  private static final BackendMetrics HALF =
      new BackendMetrics(0, 0.5, 0, 0, 0, Map.of(), Map.of());

  private final FakeParent parent = new FakeParent();
  private final LoadRegistry loads = new LoadRegistry(parent.loop());
  private final List<String> beneath = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private final ClusterMeter meter = new ClusterMeter(loads, "pay", new DropCounts());
  private final List<Object> owner = new ArrayList<>();
  private boolean wantsBackendMetrics;
  private final CountedSubchannel counted =
      new CountedSubchannel(
          parent.context(new Connections(), 1),
          new ConnectionEvent.Group("pay", HERE, false),
          meter,
          new RecordedListener(owner));

  @BeforeEach
  void wrap() {
    counted.wrap(new Beneath());
  }

  @Test
  void theSubchannelBeneathHearsAllThatItIsTold() {
    counted.callStarted(TestCall.CALL);
    counted.callEnded(TestCall.CALL, CallOutcome.FAILURE);
    counted.update(new Backend(Samples.endpoint("10.0.0.1:80"), THERE, 0));
    counted.close();

    assertThat(beneath).containsExactly("started", "ended FAILURE", "in " + THERE, "closed");
  }

  @Test
  void theSubchannelBeneathHearsOfTheLoadIfItWantsTo() {
    counted.onBackendMetrics(TestCall.CALL, HALF);
    assertThat(beneath).isEmpty();

    wantsBackendMetrics = true;
    counted.onBackendMetrics(TestCall.CALL, HALF);

    assertThat(beneath).containsExactly("load 0.5");
  }

  @Conformance("A94-01")
  @Test
  void connectionsMoveWithTheEndpointAndEndWithIt() {
    moveTo(THERE);
    moveTo(HERE);
    counted.onConnection(new ConnectionEvent.Made());
    moveTo(THERE);
    counted.close();

    assertThat(told)
        .containsExactly(
            "here Made[]",
            "here Moved[open=1, to=" + THERE + "]",
            "there Lost[error=subchannel shutdown]");
  }

  @Test
  void theOwnerHearsOfStatesAndConnections() {
    var made = new ConnectionEvent.Made();

    counted.onState(Connectivity.READY, RpcStatus.OK);
    counted.onConnection(made);

    assertThat(owner).containsExactly(Connectivity.READY, made);
  }

  @Conformance("A94-01")
  @Test
  void whatIsOpenWhenItIsGivenUpHasEndedOnce() {
    counted.onConnection(new ConnectionEvent.Made());
    counted.onConnection(new ConnectionEvent.Made());
    counted.onConnection(new ConnectionEvent.Failed());
    counted.onConnection(new ConnectionEvent.Lost("GOAWAY NO_ERROR"));
    counted.close();
    counted.onConnection(ConnectionEvent.Lost.NOT_NEEDED); // the loop's own word comes later
    counted.close();

    assertThat(told)
        .containsExactly(
            "here Made[]",
            "here Made[]",
            "here Failed[]",
            "here Lost[error=GOAWAY NO_ERROR]",
            "here Lost[error=subchannel shutdown]");
  }

  @Test
  void oneThatWasGivenUpIsNoMoreInUse() {
    meter.add(counted);
    assertThat(meter.inUse()).containsExactly(counted);

    counted.close();

    assertThat(meter.inUse()).isEmpty();
  }

  @Test
  void itIsOfItsCluster() {
    assertThat(counted.note().cluster()).isEqualTo("pay");
  }

  /** An event loop that adds while the metrics change adds to those before. */
  @Conformance("A64-01")
  @Test
  void whatWasSaidBeforeTheMetricsChangedIsStillCollected() {
    counted.propagate(PropagatedMetrics.of(List.of("cpu_utilization")));
    counted.onBackendMetrics(TestCall.CALL, HALF);

    counted.propagate(PropagatedMetrics.NONE);

    assertThat(counted.wantsBackendMetrics()).isFalse();
    assertThat(metrics()).containsExactly(Map.of("cpu_utilization", new MetricTotal(1, 0.5)));
    assertThat(metrics()).as("collected once").isEmpty();
  }

  /** What the next report has of each locality. */
  private List<Map<String, MetricTotal>> metrics() {
    XdsServer server =
        new XdsServer(
            "one", new XdsServer.ChannelCredentials.Insecure(), List.of(), ServerFeatures.NONE);
    List<ClusterLoad> taken = new ArrayList<>();
    var only = new OnlyMeter();
    parent
        .loop()
        .inside(
            () -> {
              LoadRegistry.Counts counts = loads.join(server, "pay", "pay-eds", only);
              taken.addAll(loads.take(server, name -> true));
              counts.leave(only);
            });
    return taken.get(0).localities().stream().map(each -> each.metrics()).toList();
  }

  private final class OnlyMeter implements LoadMeter {
    @Override
    public void collect(LoadSums into) {
      counted.collect(into);
    }

    @Override
    public boolean isOver() {
      return false;
    }
  }

  private void moveTo(Locality locality) {
    counted.update(new Backend(Samples.endpoint("10.0.0.1:80"), locality, 0));
  }

  private final class Connections implements LbObserver {
    @Override
    public void onEvent(LbEvent event) {}

    @Override
    public void onConnection(ConnectionEvent.Group group, ConnectionEvent event) {
      told.add(group.locality().zone() + " " + event);
    }
  }

  private final class Beneath extends DelegatingSubchannel {
    @Override
    public void callStarted(PickContext call) {
      beneath.add("started");
    }

    @Override
    public void callEnded(PickContext call, CallOutcome outcome) {
      beneath.add("ended " + outcome);
    }

    @Override
    public boolean wantsBackendMetrics() {
      return wantsBackendMetrics;
    }

    @Override
    public void onBackendMetrics(PickContext call, BackendMetrics report) {
      beneath.add("load " + report.cpuUtilization());
    }

    @Override
    public void update(Backend backend) {
      beneath.add("in " + backend.locality());
    }

    @Override
    public void close() {
      beneath.add("closed");
    }
  }
}

package io.outrigger.lb.endpoint.weighted;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.OneTimer;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.cluster.BalancingPolicy.WeightedRoundRobin;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.ComposedParent;
import io.outrigger.lb.DelegatingSubchannel;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.Transport;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.endpoint.weighted.ReportedWeight.CurrentWeight;
import io.outrigger.lb.endpoint.weighted.ReportedWeight.Status;
import io.outrigger.lb.member.EveryEndpointPolicy;
import io.outrigger.lb.member.LeafEndpoint;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbObserver.WeightUpdate;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Picks the READY endpoints in turn, with weights from their load reports (A58). While fewer than
 * two endpoints have a usable weight, all endpoints have the same weight.
 *
 * <p>The policy publishes a new picker with the current weights once per update period, and
 * whenever the READY endpoints change. A pick never reads a load report.
 */
@ControlConfined
public final class WeightedRoundRobinPolicy
    extends EveryEndpointPolicy<WeightedRoundRobinPolicy.WeightedEndpoint> {
  /** The settings by which event loops process load reports. */
  private volatile WeightedRoundRobin orcaSettings;

  private long @Nullable [] turnNumbers;
  private final OneTimer nextUpdate = new OneTimer(context().control());
  private String detail = "";

  public WeightedRoundRobinPolicy(LbContext context, LbConfig.Leaf config, LbParent parent) {
    super(context, config, parent);
    this.orcaSettings = settings();
  }

  private WeightedRoundRobin settings() {
    return (WeightedRoundRobin) config().settings();
  }

  @Override
  protected WeightedEndpoint newMember(Backend backend) {
    return new WeightedEndpoint(backend, new ReportedWeight());
  }

  @Override
  protected void onUpdate(Change<WeightedEndpoint> change) {
    if (!orcaSettings.equals(settings())) {
      orcaSettings = settings();
      nextUpdate.stop(); // the next picker starts the timer again, with the new period
      ready().forEach(WeightedEndpoint::updateSubscription);
    }
    super.onUpdate(change);
  }

  @Override
  protected void onMemberChange(WeightedEndpoint member) {
    member.onStateChange();
    super.onMemberChange(member);
  }

  @Override
  protected Picker picker(List<WeightedEndpoint> ready, PickResult[] results) {
    if (!nextUpdate.isRunning()) {
      nextUpdate.start(settings().updatePeriod(), this::publishSoon);
    }
    return new StridePicker(results, StaticStride.of(weights(ready)), turnNumbers(ready.size()));
  }

  /** Returns the weights of READY endpoints; all zero if fewer than two weights are usable. */
  private double[] weights(List<WeightedEndpoint> ready) {
    long now = context().control().nanoTime();
    double[] weights = new double[ready.size()];
    int usable = 0;
    int stale = 0;
    for (int i = 0; i < weights.length; i++) {
      CurrentWeight found = ready.get(i).weight.current(settings(), now);
      weights[i] = found.weight();
      usable += found.status() == Status.USABLE ? 1 : 0;
      stale += found.status() == Status.STALE ? 1 : 0;
    }
    detail = usable + " of " + weights.length + " READY endpoints have a usable weight";
    boolean isFallback = usable < 2;
    int notYetUsable = weights.length - usable - stale;
    context()
        .observer()
        .onWeights(
            new WeightUpdate(
                note().cluster(), config().locality(), isFallback, notYetUsable, stale, weights));
    return isFallback ? new double[ready.size()] : weights;
  }

  /** Returns the next turn number of each event loop; the loops begin with different numbers. */
  private long[] turnNumbers(int endpoints) {
    long[] known = turnNumbers;
    if (known == null) {
      known = new long[context().loops() * StridePicker.STRIDE];
      long start = context().random().nextLong(endpoints, Purpose.START_INDEX);
      for (int loop = 0; loop < context().loops(); loop++) {
        known[loop * StridePicker.STRIDE] = start + loop;
      }
      turnNumbers = known;
    }
    return known;
  }

  @Override
  public void close() {
    nextUpdate.stop();
    super.close();
  }

  @Override
  protected Map<String, Object> shownSettings() {
    return Map.of(
        "enable_oob_load_report", settings().oob(),
        "blackout_period", settings().blackout().toString(),
        "weight_expiration_period", settings().expiration().toString(),
        "weight_update_period", settings().updatePeriod().toString(),
        "error_utilization_penalty", settings().errorPenalty(),
        "metric_names_for_computing_utilization", settings().utilizationMetrics());
  }

  @Override
  protected String shownDetail() {
    return detail;
  }

  /** An endpoint and its weight. Load reports may arrive from any address of the endpoint. */
  final class WeightedEndpoint extends LeafEndpoint {
    private final ReportedWeight weight;
    private final OutOfBandReports outOfBand;
    private boolean ready;

    private WeightedEndpoint(Backend backend, ReportedWeight weight) {
      super(
          context().control(),
          ComposedParent.wrapping(parent(), subchannel -> new Reporting(subchannel, weight)),
          backend);
      this.weight = weight;
      this.outOfBand =
          new OutOfBandReports(
              context().control(),
              context().random(),
              backend.endpoint().address().toString(),
              report -> apply(report, weight));
    }

    private void onStateChange() {
      boolean before = ready;
      ready = state() == Connectivity.READY;
      if (ready && !before) {
        weight.onReady();
      }
      updateSubscription();
    }

    private void updateSubscription() {
      Transport transport = ready && orcaSettings.oob() ? use().subchannel().transport() : null;
      outOfBand.subscribe(transport, orcaSettings.oobPeriod());
    }

    @Override
    protected void onClose() {
      outOfBand.stop();
    }
  }

  /** Any thread may call this method. */
  private void apply(BackendMetrics report, ReportedWeight weight) {
    weight.onReport(report, orcaSettings, context().control().nanoTime());
  }

  /** Applies the load reports in responses, unless out-of-band reports are requested. */
  @AnyThread
  private final class Reporting extends DelegatingSubchannel {
    private final ReportedWeight weight;

    Reporting(Subchannel subchannel, ReportedWeight weight) {
      super(subchannel);
      this.weight = weight;
    }

    @Override
    public boolean wantsBackendMetrics() {
      return !orcaSettings.oob() || super.wantsBackendMetrics();
    }

    @Override
    public void onBackendMetrics(PickContext call, BackendMetrics report) {
      if (!orcaSettings.oob()) {
        apply(report, weight);
      }
      if (super.wantsBackendMetrics()) {
        super.onBackendMetrics(call, report);
      }
    }
  }

  /**
   * Picks endpoints in the order of a schedule. Each event loop numbers its own turns. All pickers
   * of a policy share the turn numbers, so that a picker with new weights continues the order of
   * turns.
   *
   * @param schedule maps the number of a turn to an index in {@code results}
   * @param turnNumbers the next turn number of each event loop, at multiples of {@link #STRIDE}
   */
  @AnyThread
  @SuppressWarnings("ArrayRecordComponent") // instances are never compared
  private record StridePicker(PickResult[] results, StaticStride schedule, long[] turnNumbers)
      implements Picker {
    /** The number of longs per event loop, enough to keep the loops on different cache lines. */
    static final int STRIDE = 8;

    @Override
    public PickResult pick(PickContext call) {
      int slot = call.loop() * STRIDE;
      long sequence = turnNumbers[slot];
      int turn;
      do {
        turn = schedule.turn(sequence);
        sequence++;
      } while (turn < 0);
      turnNumbers[slot] = sequence;
      return results[turn];
    }

    @Override
    public PickPlan plan(PlannedCall call) {
      return PickPlan.Shared.of(results, schedule::share);
    }
  }
}

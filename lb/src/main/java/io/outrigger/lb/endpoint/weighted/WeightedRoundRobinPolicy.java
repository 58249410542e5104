package io.outrigger.lb.endpoint.weighted;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.endpoint.weighted.ReportedWeight.Standing;
import io.outrigger.lb.endpoint.weighted.ReportedWeight.Usable;
import io.outrigger.lb.member.EveryEndpointPolicy;
import io.outrigger.lb.view.WeightUpdate;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Picks each READY endpoint in turn, as often as its reported load allows (A58). While fewer than
 * two endpoints have a usable weight, all endpoints have the same weight.
 *
 * <p>A new picker applies the weights at every update period, and whenever the READY endpoints
 * change; a pick never reads a load report.
 */
@ControlConfined
public final class WeightedRoundRobinPolicy
    extends EveryEndpointPolicy<BalancingPolicy.WeightedRoundRobin, WeightedEndpoint> {
  private final OrcaSettings orcaSettings;
  private long @Nullable [] sequences;
  private @Nullable TimerHandle nextUpdate;
  private String detail = "";

  public WeightedRoundRobinPolicy(
      LbContext context,
      LbConfig.Leaf<BalancingPolicy.WeightedRoundRobin> config,
      LbParent parent) {
    super(context, config, parent);
    this.orcaSettings = new OrcaSettings(context.control(), config.settings());
  }

  @Override
  protected WeightedEndpoint newMember(Backend backend) {
    return new WeightedEndpoint(context(), parent(), backend, orcaSettings);
  }

  @Override
  protected void onUpdate(Change<WeightedEndpoint> change) {
    if (!orcaSettings.settings().equals(settings())) {
      orcaSettings.settings(settings());
      ready().forEach(WeightedEndpoint::askForReports);
    }
    super.onUpdate(change);
  }

  @Override
  protected void onMemberChange(WeightedEndpoint member) {
    member.noteState();
    super.onMemberChange(member);
  }

  @Override
  protected Picker picker(List<WeightedEndpoint> ready, PickResult[] results) {
    if (nextUpdate == null) {
      nextUpdate =
          context().control().schedule(settings().updatePeriod(), this::onUpdatePeriodElapsed);
    }
    return new WeightedRoundRobinPicker(
        results, StaticStride.of(weights(ready)), sequences(ready.size()));
  }

  private void onUpdatePeriodElapsed() {
    nextUpdate = null;
    publishSoon();
  }

  /**
   * Returns the weights of the endpoints in {@code ready}; all weights are zero when fewer than two
   * of them are usable.
   */
  private double[] weights(List<WeightedEndpoint> ready) {
    long now = context().control().nanoTime();
    double[] weights = new double[ready.size()];
    int usable = 0;
    int stale = 0;
    for (int i = 0; i < weights.length; i++) {
      Usable found = ready.get(i).weight().lookUp(settings(), now);
      weights[i] = found.weight();
      usable += found.standing() == Standing.USABLE ? 1 : 0;
      stale += found.standing() == Standing.STALE ? 1 : 0;
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

  /**
   * Returns the turn counts, which are created for the first picker: each event loop starts with a
   * different count.
   */
  private long[] sequences(int endpoints) {
    long[] known = sequences;
    if (known == null) {
      known = new long[context().loops() * WeightedRoundRobinPicker.STRIDE];
      long start = context().random().nextLong(endpoints, Purpose.START_INDEX);
      for (int loop = 0; loop < context().loops(); loop++) {
        known[loop * WeightedRoundRobinPicker.STRIDE] = start + loop;
      }
      sequences = known;
    }
    return known;
  }

  @Override
  public void close() {
    if (nextUpdate != null) {
      nextUpdate.cancel();
      nextUpdate = null;
    }
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
    return orcaSettings.refused() == 0
        ? detail
        : detail + "; " + orcaSettings.refused() + " reports had impossible values";
  }
}

package io.outrigger.lb.endpoint.weighted;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.cluster.BalancingPolicy.WeightedRoundRobin;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.ComposedParent;
import io.outrigger.lb.DelegatingSubchannel;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.Transport;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.member.LeafEndpoint;
import io.outrigger.lb.state.Connectivity;

/** An endpoint and the weight from its load reports, which may arrive over any of its addresses. */
@ControlConfined
final class WeightedEndpoint extends LeafEndpoint {
  private final OrcaSettings orcaSettings;
  private final ReportedWeight weight;
  private final OutOfBandReports outOfBand;
  private boolean ready;

  WeightedEndpoint(LbContext context, LbParent parent, Backend backend, OrcaSettings orcaSettings) {
    this(context, parent, backend, orcaSettings, new ReportedWeight());
  }

  private WeightedEndpoint(
      LbContext context,
      LbParent parent,
      Backend backend,
      OrcaSettings orcaSettings,
      ReportedWeight weight) {
    super(
        context.control(),
        ComposedParent.wrapping(
            parent, subchannel -> new Reporting(subchannel, orcaSettings, weight)),
        backend);
    this.orcaSettings = orcaSettings;
    this.weight = weight;
    this.outOfBand =
        new OutOfBandReports(
            context.control(),
            context.random(),
            backend.endpoint().address().toString(),
            report -> orcaSettings.apply(report, weight));
  }

  ReportedWeight weight() {
    return weight;
  }

  /**
   * Called when the endpoint's state may have changed: a new connection restarts the blackout
   * period.
   */
  void noteState() {
    boolean before = ready;
    ready = state() == Connectivity.READY;
    if (ready && !before) {
      weight.onReady();
    }
    askForReports();
  }

  /** Requests out-of-band reports over the current connection, if the settings enable them. */
  void askForReports() {
    WeightedRoundRobin settings = orcaSettings.settings();
    Transport transport = ready && settings.oob() ? use().subchannel().transport() : null;
    outOfBand.ask(transport, settings.oobPeriod());
  }

  @Override
  protected void onClose() {
    outOfBand.stop();
  }

  /** Applies the reports that responses carry. */
  private static final class Reporting extends DelegatingSubchannel {
    private final OrcaSettings orcaSettings;
    private final ReportedWeight weight;

    Reporting(Subchannel subchannel, OrcaSettings orcaSettings, ReportedWeight weight) {
      super(subchannel);
      this.orcaSettings = orcaSettings;
      this.weight = weight;
    }

    @Override
    public boolean wantsBackendMetrics() {
      return orcaSettings.takesReportsOfCalls() || super.wantsBackendMetrics();
    }

    @Override
    public void onBackendMetrics(PickContext call, BackendMetrics report) {
      if (orcaSettings.takesReportsOfCalls()) {
        orcaSettings.apply(report, weight);
      }
      if (super.wantsBackendMetrics()) {
        super.onBackendMetrics(call, report);
      }
    }
  }
}

package io.outrigger.lb.endpoint.weighted;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.lb.Backend;
import io.outrigger.lb.Connectivity;
import io.outrigger.lb.DelegatingSubchannel;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LoadReport;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.WrappedSubchannels;
import io.outrigger.lb.endpoint.Member;

/** An endpoint and the weight that it reports, over whichever of its addresses. */
@ControlConfined
final class WeightedMember extends Member {
  private final ReportedWeight weight;
  private boolean ready;

  WeightedMember(ControlLoop control, LbParent parent, Backend backend, ReportDesk desk) {
    this(control, parent, backend, desk, new ReportedWeight());
  }

  private WeightedMember(
      ControlLoop control,
      LbParent parent,
      Backend backend,
      ReportDesk desk,
      ReportedWeight weight) {
    super(
        control,
        new WrappedSubchannels(parent, subchannel -> new Reporting(subchannel, desk, weight)),
        backend);
    this.weight = weight;
  }

  ReportedWeight weight() {
    return weight;
  }

  /** The state is another, perhaps: a connection that is new has to prove itself. */
  void noteState() {
    boolean before = ready;
    ready = state() == Connectivity.READY;
    if (ready && !before) {
      weight.onReady();
    }
  }

  /** Takes the reports that come with responses. */
  private static final class Reporting extends DelegatingSubchannel {
    private final Subchannel subchannel;
    private final ReportDesk desk;
    private final ReportedWeight weight;

    Reporting(Subchannel subchannel, ReportDesk desk, ReportedWeight weight) {
      this.subchannel = subchannel;
      this.desk = desk;
      this.weight = weight;
    }

    @Override
    protected Subchannel delegate() {
      return subchannel;
    }

    @Override
    public boolean wantsLoadReports() {
      return desk.takesReportsOfCalls() || subchannel.wantsLoadReports();
    }

    @Override
    public void onLoadReport(LoadReport report) {
      if (desk.takesReportsOfCalls()) {
        desk.take(report, weight);
      }
      if (subchannel.wantsLoadReports()) {
        subchannel.onLoadReport(report);
      }
    }
  }
}

package io.outrigger.observe.metrics;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.calls.CallTotals;
import io.outrigger.dataplane.memory.MemoryView;
import io.outrigger.http2.PeerErrors;
import io.outrigger.identity.certificate.CertificateView;
import io.outrigger.xds.status.OverlayStatus;
import io.outrigger.xds.status.XdsStatusView;
import java.util.List;

/**
 * What a scrape shows, gathered at one moment.
 *
 * @param version of the program
 * @param balancing what was counted in the trees
 * @param overlay what local policy has come to
 * @param certificates of the bootstrap's providers
 * @param failedSources the names of those that could not be read; they are empty here
 */
@AnyThread
public record MetricsView(
    String version,
    List<Forward> forwards,
    XdsStatusView xds,
    LbCounters.Counts balancing,
    OverlayStatus overlay,
    List<CertificateView.Provider> certificates,
    ProcessFigures process,
    List<String> failedSources) {
  public MetricsView {
    forwards = List.copyOf(forwards);
    certificates = List.copyOf(certificates);
    failedSources = List.copyOf(failedSources);
  }

  /** A view without certificates of which every source could be read. */
  public MetricsView(
      String version,
      List<Forward> forwards,
      XdsStatusView xds,
      LbCounters.Counts balancing,
      ProcessFigures process) {
    this(version, forwards, xds, balancing, OverlayStatus.NONE, List.of(), process, List.of());
  }

  /**
   * The process as a whole.
   *
   * @param controlFailures tasks of the control loop that ended with an exception: bugs of ours
   * @param drainCut requests that a drain ended because its time was over
   * @param directBytes memory of buffers outside of the heap
   * @param bufferBytes what the allocator of buffers holds
   * @param memory what peers make the process hold
   * @param loopLagNanos by event loop (see {@link LoopLag})
   * @param endedForErrors connections that were ended for an error of their peer
   */
  @SuppressWarnings("ArrayRecordComponent") // figures that nobody compares
  public record ProcessFigures(
      long controlFailures,
      long drainCut,
      long directBytes,
      long bufferBytes,
      MemoryView memory,
      long[] loopLagNanos,
      List<PeerErrors.EndedCount> endedForErrors) {
    public ProcessFigures {
      loopLagNanos = loopLagNanos.clone();
      endedForErrors = List.copyOf(endedForErrors);
    }
  }

  /**
   * One forward.
   *
   * @param target as configured ({@code grpc.target})
   * @param connections local connections that are open
   * @param refusedConnections closed at once because there were too many
   * @param endpoints of its clusters
   */
  public record Forward(
      String name,
      String target,
      boolean ready,
      int connections,
      long refusedConnections,
      CallTotals calls,
      List<EndpointStates.Count> endpoints) {
    public Forward {
      endpoints = List.copyOf(endpoints);
    }
  }
}

package io.outrigger.observe.metrics;

import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.dataplane.calls.CallStats;
import io.outrigger.dataplane.memory.MemoryView;
import io.outrigger.http2.PeerErrors;
import io.outrigger.identity.certificate.CertificateView;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.xds.status.OverlayStatus;
import io.outrigger.xds.status.XdsStatusView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The values of one scrape, read at one moment.
 *
 * @param leftOutLabels the names of labels that are not exported
 */
public record MetricsView(
    String version,
    List<Forward> forwards,
    List<Serve> serves,
    XdsStatusView xds,
    LbCounters.Counts balancing,
    OverlayStatus overlay,
    List<CertificateView.Provider> certificates,
    ProcessFigures process,
    Set<String> leftOutLabels) {
  public MetricsView {
    forwards = List.copyOf(forwards);
    serves = List.copyOf(serves);
    certificates = List.copyOf(certificates);
    leftOutLabels = Set.copyOf(leftOutLabels);
  }

  /**
   * @param controlFailures the number of control-loop tasks that ended with an exception, always
   *     due to a bug
   * @param lostAuditLines the number of lines missing from the audit log; empty without an audit
   *     log
   * @param drainCut the number of requests that were cut when a drain timed out
   * @param loopLagNanos the lag of each event loop (see {@link LoopLag})
   * @param endedForErrors the numbers of connections that were closed because of a peer's error
   */
  public record ProcessFigures(
      long controlFailures,
      Optional<Long> lostAuditLines,
      long drainCut,
      MemoryView memory,
      List<Long> loopLagNanos,
      List<PeerErrors.EndedCount> endedForErrors) {
    public ProcessFigures {
      loopLagNanos = List.copyOf(loopLagNanos);
      endedForErrors = List.copyOf(endedForErrors);
    }
  }

  /**
   * @param target the target as configured ({@code grpc.target})
   * @param endpoints the numbers of endpoints by cluster name; never modified
   */
  public record Forward(
      String name,
      String target,
      boolean ready,
      int connections,
      CallStats.Totals calls,
      Map<String, EndpointTally> endpoints) {
    public Forward {
      endpoints = new TreeMap<>(endpoints);
    }
  }

  /**
   * @param ready whether the port is open and its app can be reached
   */
  public record Serve(
      String name,
      boolean ready,
      int connections,
      CallStats.Totals calls,
      List<Decisions> decisions,
      Map<HandshakeResult, Long> handshakes) {
    public Serve {
      decisions = List.copyOf(decisions);
      handshakes = Map.copyOf(handshakes);
    }
  }

  /**
   * @param policy the policy that matched; empty when no policy matched
   */
  public record Decisions(String filter, String policy, boolean isAllowed, long count) {}
}

package io.outrigger.dataplane.calls;

import java.util.Set;

/**
 * Selects the attributes by which the metrics of calls are split. Each additional attribute
 * multiplies the number of histograms.
 *
 * @param methods the gRPC methods with metrics of their own, such as {@code pkg.Service/Method};
 *     all other methods share one set of metrics
 * @param localities whether metrics of attempts have {@code grpc.lb.locality} (A78 "Per-Call
 *     Metrics")
 * @param callDelays whether waits of calls for their configuration are measured (A121)
 * @param attemptDelays whether waits of attempts for a connection are measured (A121)
 * @param asServer true to measure calls, as A66 requires of servers; false to measure attempts
 */
public record Measuring(
    Set<String> methods,
    boolean localities,
    boolean callDelays,
    boolean attemptDelays,
    boolean asServer) {
  public Measuring {
    methods = Set.copyOf(methods);
  }

  public static Measuring ofServer(Set<String> methods) {
    return new Measuring(methods, false, false, false, true);
  }
}

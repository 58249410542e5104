package io.outrigger.dataplane.calls;

import java.util.Set;

/**
 * What metrics of calls tell apart: each of it multiplies their histograms.
 *
 * @param methods such as {@code pkg.Service/Method}; all others are one
 * @param localities whether attempts have {@code grpc.lb.locality} (A78 "Per-Call Metrics")
 * @param callDelays whether waits of calls for their configuration are measured (A121)
 * @param attemptDelays whether waits of attempts for a connection are measured (A121)
 */
public record Measuring(
    Set<String> methods, boolean localities, boolean callDelays, boolean attemptDelays) {
  /** Nothing beyond what is always told. */
  public static final Measuring LITTLE = new Measuring(Set.of(), false, false, false);

  public Measuring {
    methods = Set.copyOf(methods);
  }
}

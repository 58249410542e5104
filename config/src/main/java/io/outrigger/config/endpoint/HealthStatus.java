package io.outrigger.config.endpoint;

/** The health of an endpoint, as reported by the control plane. */
public enum HealthStatus {
  UNKNOWN,
  HEALTHY,
  UNHEALTHY,
  DRAINING,
  TIMEOUT,
  DEGRADED;

  /** Whether load balancing policies use endpoints with this status (A27-08). */
  public boolean isUsable() {
    return this == UNKNOWN || this == HEALTHY;
  }
}

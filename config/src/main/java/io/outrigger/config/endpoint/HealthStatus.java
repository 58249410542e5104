package io.outrigger.config.endpoint;

/** The health of an endpoint, as reported by the control plane. */
public enum HealthStatus {
  UNKNOWN,
  HEALTHY,
  UNHEALTHY,
  DRAINING,
  TIMEOUT,
  DEGRADED;

  /** Whether an endpoint with this status gets ordinary requests (A27-08). */
  public boolean isUsable() {
    return this == UNKNOWN || this == HEALTHY;
  }
}

package io.outrigger.config.endpoint;

/** The health that the control plane gives an endpoint. */
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

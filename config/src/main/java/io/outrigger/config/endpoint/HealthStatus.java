package io.outrigger.config.endpoint;

/** The health that the control plane gives an endpoint. */
public enum HealthStatus {
  UNKNOWN,
  HEALTHY,
  UNHEALTHY,
  DRAINING,
  TIMEOUT,
  DEGRADED;

  /** Whether ordinary requests may go there (A27-08). */
  public boolean isUsable() {
    return this == UNKNOWN || this == HEALTHY;
  }
}

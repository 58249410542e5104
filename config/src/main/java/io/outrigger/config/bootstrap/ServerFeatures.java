package io.outrigger.config.bootstrap;

/**
 * The {@code server_features} of a control plane in the bootstrap (A81, A88). Unknown features,
 * {@code xds_v3} and {@code ignore_resource_deletion} are ignored.
 */
public record ServerFeatures(
    boolean trustedXdsServer, boolean failOnDataErrors, boolean resourceTimerIsTransientError) {
  public static final ServerFeatures NONE = new ServerFeatures(false, false, false);
}

package io.outrigger.config.bootstrap;

/**
 * The {@code server_features} of a control plane in the bootstrap (A81, A88). Unknown features and
 * features without effect ({@code xds_v3}, {@code ignore_resource_deletion}) are dropped.
 */
public record ServerFeatures(
    boolean trustedXdsServer, boolean failOnDataErrors, boolean resourceTimerIsTransientError) {
  public static final ServerFeatures NONE = new ServerFeatures(false, false, false);
}

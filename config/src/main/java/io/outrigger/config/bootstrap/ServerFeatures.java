package io.outrigger.config.bootstrap;

/** The {@code server_features} of a control plane (A81, A88). Unknown features are ignored. */
public record ServerFeatures(
    boolean trustedXdsServer, boolean failOnDataErrors, boolean resourceTimerIsTransientError) {
  public static final ServerFeatures NONE = new ServerFeatures(false, false, false);
}

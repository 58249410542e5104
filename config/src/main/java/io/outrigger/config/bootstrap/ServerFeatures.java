package io.outrigger.config.bootstrap;

/**
 * What a bootstrap says of a server's abilities (A81, A88). Unknown features, and those without
 * effect ({@code xds_v3}, {@code ignore_resource_deletion}), are not kept.
 */
public record ServerFeatures(
    boolean trustedXdsServer, boolean failOnDataErrors, boolean resourceTimerIsTransientError) {
  public static final ServerFeatures NONE = new ServerFeatures(false, false, false);
}

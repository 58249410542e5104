package io.outrigger.config.cluster;

import io.outrigger.config.bootstrap.XdsServer;

/**
 * That a cluster's load is to be reported (A27 {@code lrs_server}).
 *
 * @param server who wants it: {@code self}, that is the control plane that sent the cluster
 *     (A71-09)
 * @param metrics what of the backends' own reports is passed on (A85)
 */
public record LoadReporting(XdsServer server, PropagatedMetrics metrics) {}

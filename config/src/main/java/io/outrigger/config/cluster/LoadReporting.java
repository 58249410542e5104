package io.outrigger.config.cluster;

import io.outrigger.config.bootstrap.XdsServer;

/**
 * The settings of load reports for a cluster (A27 {@code lrs_server}).
 *
 * @param server the control plane that sent the Cluster resource and gets the load reports (A71-09)
 * @param metrics the backend metrics that load reports include (A85)
 */
public record LoadReporting(XdsServer server, PropagatedMetrics metrics) {}

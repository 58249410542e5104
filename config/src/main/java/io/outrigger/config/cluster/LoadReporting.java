package io.outrigger.config.cluster;

import io.outrigger.config.bootstrap.XdsServer;

/**
 * The settings of load reports for a cluster (A27 {@code lrs_server}).
 *
 * @param server the control plane that sent the cluster; it gets the reports (A71-09)
 * @param metrics the metrics of backends that the reports include (A85)
 */
public record LoadReporting(XdsServer server, PropagatedMetrics metrics) {}

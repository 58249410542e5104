/**
 * Distributes calls among endpoints in proportion to weights that are computed from load reports.
 * The policy runs on the control loop; its picker runs on event loops. This package implements
 * weighted_round_robin (A58) with the choice of metrics (A114), based on the load reports of A51.
 */
package io.outrigger.lb.endpoint.weighted;

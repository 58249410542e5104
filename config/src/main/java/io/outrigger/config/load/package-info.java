/**
 * The load that the load balancer counts for the control plane (A27 load reporting, A64, A85):
 * requests by cluster and locality, drops by category, and metrics that backends report. Records
 * are immutable; {@code LoadSource} is used on the control loop.
 */
package io.outrigger.config.load;

/**
 * The functions that concern all endpoints of a cluster: drops, the limit of calls in flight, the
 * counting of calls. The policy runs on the control loop. The policy's picker and the wrapped
 * subchannels are called on event loops. This package implements xds_cluster_impl (A27 drops, A32
 * circuit breaking).
 */
package io.outrigger.lb.cluster;

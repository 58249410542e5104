/**
 * The content of a Cluster resource: the source of endpoints, policy, limits and outlier detection
 * (A27, A32, A37, A50, A75). All types are immutable; any thread may use them.
 */
package io.outrigger.config.cluster;

/**
 * The configuration snapshot that the xDS client publishes to the load balancer (A74). All types
 * are immutable; any thread may use them.
 */
package io.outrigger.config.snapshot;

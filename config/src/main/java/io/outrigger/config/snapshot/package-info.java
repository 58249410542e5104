/**
 * The configuration snapshot that the xDS client publishes to the load balancer (A74). All types
 * are immutable; any thread may use them.
 */
@NullMarked
package io.outrigger.config.snapshot;

import org.jspecify.annotations.NullMarked;

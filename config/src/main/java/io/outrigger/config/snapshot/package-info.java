/**
 * The configuration snapshot that the control plane half publishes to the balancing half (A74). All
 * types are immutable; any thread may use them.
 */
@NullMarked
package io.outrigger.config.snapshot;

import org.jspecify.annotations.NullMarked;

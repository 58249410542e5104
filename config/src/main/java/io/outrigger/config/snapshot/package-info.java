/**
 * The one snapshot that the control plane half gives to the balancing half (A74). Immutable; any
 * thread.
 */
@NullMarked
package io.outrigger.config.snapshot;

import org.jspecify.annotations.NullMarked;

/**
 * What a Cluster resource says: its source, policy, limits and detection (A27, A32, A37, A50, A75).
 * Immutable; any thread.
 */
@NullMarked
package io.outrigger.config.cluster;

import org.jspecify.annotations.NullMarked;

/**
 * The place of session affinity in the tree: above the priorities of a cluster, so that a session
 * stays with its endpoint when that moves (A75). Control loop. The node passes everything through:
 * affinity itself (A55, A75) is not part of this version, and sessions are balanced like other
 * calls.
 */
@NullMarked
package io.outrigger.lb.override;

import org.jspecify.annotations.NullMarked;

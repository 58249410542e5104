/**
 * Sharing calls among localities by weight. Control loop; its picker runs on event loops.
 * Implements weighted_target (A28 "weighted_target LB policy", A27-09).
 */
@NullMarked
package io.outrigger.lb.locality;

import org.jspecify.annotations.NullMarked;

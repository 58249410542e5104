/**
 * The simple leaves of the tree: round_robin, pick_first (A62, A113), and what stands for the
 * absence of endpoints. Control loop; their pickers run on event loops. The packages beneath hold
 * the leaves that take more.
 */
@NullMarked
package io.outrigger.lb.endpoint;

import org.jspecify.annotations.NullMarked;

/**
 * The simple leaves of the tree: round_robin, pick_first (A62, A113), and the policy that fails
 * calls where there are no endpoints. Control loop; their pickers run on event loops. The larger
 * leaves have packages of their own.
 */
@NullMarked
package io.outrigger.lb.endpoint;

import org.jspecify.annotations.NullMarked;

/**
 * The simple leaf policies: round_robin, pick_first (A62, A113), and least_request (A48, with A61
 * "Least Request"). A further policy fails calls if a cluster has no endpoints. The policies run on
 * the control loop; their pickers run on event loops. Larger leaf policies are in subpackages.
 */
@NullMarked
package io.outrigger.lb.endpoint;

import org.jspecify.annotations.NullMarked;

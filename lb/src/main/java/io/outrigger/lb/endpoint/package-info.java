/**
 * The simple leaf policies: round_robin, pick_first (A62, A113), and least_request (A48, with A61
 * "Least Request"). If a cluster has no endpoints, another policy fails all calls. The policies run
 * on the control loop; their pickers run on event loops. Larger leaf policies are in subpackages.
 */
package io.outrigger.lb.endpoint;

/**
 * The leaves of the tree: policies that choose among endpoints, and how they connect to an endpoint
 * with several addresses. Control loop; their pickers run on event loops. Implements round_robin,
 * pick_first (A62), connecting within an endpoint (A61 "Happy Eyeballs"), and the resolution note
 * in every failure (A88).
 */
@NullMarked
package io.outrigger.lb.endpoint;

import org.jspecify.annotations.NullMarked;

/**
 * A random part of the endpoints for the policy beneath, chosen by rendezvous hashing. Control
 * loop; pickers are those of the policy beneath. Implements random_subsetting (A68).
 */
@NullMarked
package io.outrigger.lb.subset;

import org.jspecify.annotations.NullMarked;

/**
 * Chooses a random subset of the endpoints for the child policy, by rendezvous hashing. The policy
 * runs on the control loop; its picker is the child policy's own picker. This package implements
 * random_subsetting (A68).
 */
@NullMarked
package io.outrigger.lb.subset;

import org.jspecify.annotations.NullMarked;

/**
 * Chooses a random subset of the endpoints for the child policy, by rendezvous hashing. The policy
 * runs on the control loop and publishes the picker of the child policy. This package implements
 * random_subsetting (A68).
 */
package io.outrigger.lb.subset;

/**
 * The configuration of served addresses. The package computes the state of an address from a
 * Listener resource and the route configurations that the Listener names (A36). All code runs on
 * the control loop.
 */
@NullMarked
package io.outrigger.xds.serving;

import org.jspecify.annotations.NullMarked;

/**
 * The state of the addresses that this process serves, computed from Listeners and their route
 * configurations (A36). All code runs on the control loop.
 */
package io.outrigger.xds.serving;

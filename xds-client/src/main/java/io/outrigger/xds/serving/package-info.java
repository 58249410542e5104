/**
 * The state of the addresses that this process serves, computed from Listeners and their route
 * configurations (A36). All code runs on the control loop.
 */
@NullMarked
package io.outrigger.xds.serving;

import org.jspecify.annotations.NullMarked;

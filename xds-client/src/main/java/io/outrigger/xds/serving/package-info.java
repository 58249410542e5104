/**
 * The configuration of addresses that this process serves: from a Listener resource and the route
 * configurations that it names to one state of the address (A36). All code runs on the control
 * loop.
 */
@NullMarked
package io.outrigger.xds.serving;

import org.jspecify.annotations.NullMarked;

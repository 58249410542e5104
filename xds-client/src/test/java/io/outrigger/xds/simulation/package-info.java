/** Thousands of XdsClients over one simulated control plane, in virtual time. */
@NullMarked
package io.outrigger.xds.simulation;

import org.jspecify.annotations.NullMarked;

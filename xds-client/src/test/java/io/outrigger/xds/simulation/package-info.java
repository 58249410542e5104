/** Thousands of XdsClients over one simulated control plane, in virtual time. */
package io.outrigger.xds.simulation;

/**
 * The folder of the option {@code --state}. The folder contains acknowledged resources, which are
 * used if no control plane answers at the start.
 */
package io.outrigger.xds.state;

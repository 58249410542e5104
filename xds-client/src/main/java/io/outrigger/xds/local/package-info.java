/**
 * Resources from files and {@code dns:///} targets. The xDS client receives local resources as if
 * from a control plane, by the state-of-the-world variant of ADS (A30, A57). All code runs on the
 * control loop, except that files are read on a separate thread.
 */
package io.outrigger.xds.local;

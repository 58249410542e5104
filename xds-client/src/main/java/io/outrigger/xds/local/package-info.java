/**
 * Resources from files and {@code dns:///} targets. The xDS client receives local resources as if
 * from a control plane, by the state-of-the-world variant of ADS (A30, A57). Files are read on a
 * separate thread. All other code runs on the control loop.
 */
@NullMarked
package io.outrigger.xds.local;

import org.jspecify.annotations.NullMarked;

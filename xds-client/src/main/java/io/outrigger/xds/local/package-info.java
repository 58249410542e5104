/**
 * Resources from files instead of a control plane. The files are read, watched, validated, and
 * served through the same interface as a control plane, so that the resources pass through the same
 * decoders and cache.
 *
 * <p>Files are read on a separate thread; everything else runs on the control loop.
 *
 * <p>The package implements the server side of the state-of-the-world variant of ADS (A30, A57),
 * and sends errors for resources that are in no file (A88 with xRFC TP3).
 */
@NullMarked
package io.outrigger.xds.local;

import org.jspecify.annotations.NullMarked;

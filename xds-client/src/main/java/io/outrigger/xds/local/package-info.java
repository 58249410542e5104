/**
 * Resources from files instead of a control plane: read, watched, validated, and served through the
 * same stream seam, so that they meet the same decoders and cache as a server's.
 *
 * <p>Files are read on a thread of their own; everything else runs on the control loop.
 *
 * <p>A30 and A57 (state of the world over ADS, from the server's side), A88 with xRFC TP3 (errors
 * for resources that are in no file).
 */
@NullMarked
package io.outrigger.xds.local;

import org.jspecify.annotations.NullMarked;

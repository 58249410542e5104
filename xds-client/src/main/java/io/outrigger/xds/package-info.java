/**
 * The interface of the xDS client for the rest of the program (A57, A88). All code runs on the
 * control loop.
 */
@NullMarked
package io.outrigger.xds;

import org.jspecify.annotations.NullMarked;

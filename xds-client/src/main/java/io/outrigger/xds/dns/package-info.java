/**
 * DNS for clusters (A37) and {@code dns:///} targets, by Netty's resolver on an event loop of its
 * own; answers hop to the control loop.
 */
@NullMarked
package io.outrigger.xds.dns;

import org.jspecify.annotations.NullMarked;

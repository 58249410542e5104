/**
 * DNS for clusters (A37) and {@code dns:///} targets, as resolv.conf(5) describes it. Netty's codec
 * reads and writes the messages; a thread of its own asks the servers, and answers hop to the
 * control loop.
 */
@NullMarked
package io.outrigger.xds.dns;

import org.jspecify.annotations.NullMarked;

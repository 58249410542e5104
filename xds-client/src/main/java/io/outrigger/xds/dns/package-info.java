/**
 * DNS resolution for clusters (A37) and {@code dns:///} targets, as resolv.conf(5) describes.
 * Netty's codec reads and writes the DNS messages. A separate thread queries the servers, and
 * answers are delivered on the control loop.
 */
package io.outrigger.xds.dns;

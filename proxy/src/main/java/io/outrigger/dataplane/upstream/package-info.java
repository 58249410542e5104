/**
 * Connections to backends. The connector opens transports for load balancing; calls open streams on
 * a transport, whose HTTP/2 connections belong to event loops and are lent between them. Transports
 * are created and closed on the control loop. Each event loop uses its own part of a transport
 * (DESIGN section 5). Implements the connection side of A57 and gRPC's connection back-off rules
 * (SC-50, SC-51).
 */
@NullMarked
package io.outrigger.dataplane.upstream;

import org.jspecify.annotations.NullMarked;

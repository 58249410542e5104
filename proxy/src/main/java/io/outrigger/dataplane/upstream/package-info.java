/**
 * Connections to backends: the connector that load balancing asks for transports, and what a
 * transport is to calls: HTTP/2 connections of the event loops, lent to each other. Made and given
 * up on the control loop, used on the event loops, each its own part (DESIGN section 5). Implements
 * the connection side of A57 and gRPC's connection back-off rules (SC-50, SC-51).
 */
@NullMarked
package io.outrigger.dataplane.upstream;

import org.jspecify.annotations.NullMarked;

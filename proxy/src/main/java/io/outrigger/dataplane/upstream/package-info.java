/**
 * Connections to backends. The connector opens transports for load balancing, on the control loop.
 * Each call opens a stream on a transport. HTTP/2 connections belong to event loops; a loop without
 * a connection uses streams of another loop. Implements the connection side of A57 and gRPC's
 * connection back-off rules (SC-50, SC-51).
 */
package io.outrigger.dataplane.upstream;

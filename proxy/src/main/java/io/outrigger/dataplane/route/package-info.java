/**
 * Routes requests by their headers (A31, A28): the config selector of a target, the effective
 * timeout and the {@code grpc-timeout} codec. Selectors are immutable and used on event loops.
 * Nothing in this package depends on sockets.
 */
package io.outrigger.dataplane.route;

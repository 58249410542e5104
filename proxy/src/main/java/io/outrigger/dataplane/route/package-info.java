/**
 * From a request's head to a decision (A31, A28): the selector of a target, the effective timeout
 * and the {@code grpc-timeout} codec. Selectors are immutable and used on event loops; nothing here
 * knows sockets.
 */
@NullMarked
package io.outrigger.dataplane.route;

import org.jspecify.annotations.NullMarked;

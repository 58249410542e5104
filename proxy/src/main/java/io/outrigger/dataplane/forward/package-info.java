/**
 * Forwards one request: reads its headers, selects a route, picks an endpoint, opens a stream to
 * the backend and sends exactly one final answer. Both halves of a call run on the event loop that
 * accepted it. Nothing in this package blocks, and only parked calls touch the control loop.
 * Implements A31 "Config Selector" for calls, the call side of A57 and A54, and section 5 of the
 * contract.
 */
@NullMarked
package io.outrigger.dataplane.forward;

import org.jspecify.annotations.NullMarked;

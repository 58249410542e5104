/**
 * The life of one request: from its head to a route, a pick, a stream to a backend, and one
 * terminal answer. Both halves of a call live on the event loop that accepted it; nothing here
 * blocks, and only parking touches the control half. Implements A31 "Config Selector" for calls,
 * the call side of A57 and A54, and section 5 of the contract.
 */
@NullMarked
package io.outrigger.dataplane.forward;

import org.jspecify.annotations.NullMarked;

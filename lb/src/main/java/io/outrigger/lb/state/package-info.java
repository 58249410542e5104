/**
 * Plain values that describe a connection: its state, its TLS, the result of its handshake (A118),
 * the sums of its calls.
 */
@NullMarked
package io.outrigger.lb.state;

import org.jspecify.annotations.NullMarked;

/**
 * Plain values that describe a connection: its state, its TLS properties, the result of its
 * handshake (A118), the counts of its calls.
 */
@NullMarked
package io.outrigger.lb.state;

import org.jspecify.annotations.NullMarked;

/**
 * What policies, connections and views say of a connection, as plain values: its state, its TLS,
 * how an attempt to make it ended (A118), the sums of its calls.
 */
@NullMarked
package io.outrigger.lb.state;

import org.jspecify.annotations.NullMarked;

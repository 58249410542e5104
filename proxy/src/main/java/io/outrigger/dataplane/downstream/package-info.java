/**
 * The local side: listeners on TCP and unix sockets, and the connections that apps open to them.
 * Each connection lives on the event loop that accepted it. The event loops share only the limits
 * and the drain. Implements the accepting half of CONTRACT sections 2 and 5 (SC-01, SC-44).
 */
@NullMarked
package io.outrigger.dataplane.downstream;

import org.jspecify.annotations.NullMarked;

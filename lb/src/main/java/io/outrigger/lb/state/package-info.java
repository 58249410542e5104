/**
 * Values that describe a subchannel: its connectivity state, counts of calls, TLS properties and
 * connection events (A94, A118).
 */
@NullMarked
package io.outrigger.lb.state;

import org.jspecify.annotations.NullMarked;

/**
 * Values that describe a subchannel and its connections: the connectivity state, TLS properties,
 * connection events (A94, A118) and the counts of calls.
 */
@NullMarked
package io.outrigger.lb.state;

import org.jspecify.annotations.NullMarked;

/**
 * Values that describe a subchannel: its connectivity state, counts of calls, TLS properties and
 * connection events (A94, A118).
 */
package io.outrigger.lb.state;

/**
 * One connection to one address: its states and back-off, and how several owners share it. Control
 * loop; only {@link io.outrigger.lb.Subchannel#transport} is read on event loops. Implements the
 * connectivity states of gRPC with its connection back-off (SC-50), and the sharing that A75's
 * ownership of connections and A56's moving localities rest on.
 */
@NullMarked
package io.outrigger.lb.subchannel;

import org.jspecify.annotations.NullMarked;

/**
 * One connection to one address: its states and back-off, and how several owners share the
 * connection. All classes are used on the control loop; only {@link
 * io.outrigger.lb.Subchannel#transport} is read on event loops. This package implements the
 * connectivity states of gRPC with its connection back-off (SC-50), and the sharing of connections
 * on which A75's ownership and A56's moving localities depend.
 */
@NullMarked
package io.outrigger.lb.subchannel;

import org.jspecify.annotations.NullMarked;

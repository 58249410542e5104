/**
 * Subchannels, their states and back-off, and the sharing of a subchannel by several owners. All
 * classes are used on the control loop, except that event loops read {@link
 * io.outrigger.lb.Subchannel#transport} and {@link io.outrigger.lb.Subchannel#backend}. This
 * package implements the connectivity states of gRPC with its connection back-off (SC-50). The
 * sharing keeps connections for sessions (A75), and for localities that change priority (A56).
 */
@NullMarked
package io.outrigger.lb.subchannel;

import org.jspecify.annotations.NullMarked;

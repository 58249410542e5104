/**
 * Subchannels, their states and back-off, and the sharing of a subchannel by several policies. All
 * classes are used on the control loop, except that event loops read {@link
 * io.outrigger.lb.Subchannel#transport} and {@link io.outrigger.lb.Subchannel#backend}. This
 * package implements the connectivity states of gRPC and its back-off (SC-50). A shared subchannel
 * stays connected for sessions (A75), and while a locality changes priority (A56).
 */
package io.outrigger.lb.subchannel;

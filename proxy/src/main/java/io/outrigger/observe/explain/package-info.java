/**
 * Explains how a request would be routed and balanced, without sending it (CONTRACT section 6,
 * {@code /explain}). The explanation comes from the published selector and pickers themselves,
 * which run with a trace and with predetermined results of random draws (decision proxy-0010).
 * Explanations are created on the control loop and are immutable.
 */
package io.outrigger.observe.explain;

/**
 * The SPI of the load-balancing tree: policies, their parents, pickers and pick results. Policies
 * use only this SPI (decision lb-0002).
 *
 * <p>Policies and subchannels are used on the control loop only. Pickers, pick results and the
 * call-counting methods of subchannels are used on event loops. Code on event loops never blocks or
 * locks, and allocates nothing on the common path.
 */
package io.outrigger.lb;

/**
 * The SPI of the load-balancing tree: policies, their parents, pickers and pick results. Small on
 * purpose; policies use nothing else (decision lb-0002).
 *
 * <p>Policies and subchannels live on the control loop. Pickers, pick results and the accounting
 * methods of subchannels are called on event loops and never block, lock or allocate.
 */
@NullMarked
package io.outrigger.lb;

import org.jspecify.annotations.NullMarked;

/**
 * The SPI of the load-balancing tree: policies, their parents, pickers and pick results. The SPI is
 * deliberately small; policies use no other interface (decision lb-0002).
 *
 * <p>Policies and subchannels are used on the control loop only. Pickers, pick results and the
 * accounting methods of subchannels are called on event loops and never block, lock or allocate.
 */
@NullMarked
package io.outrigger.lb;

import org.jspecify.annotations.NullMarked;

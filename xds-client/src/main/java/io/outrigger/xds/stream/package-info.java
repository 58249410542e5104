/**
 * The ADS client: streams to a control plane, subscriptions, ACK and NACK, resource timers (A57
 * "Handling ADS Stream Termination", "Handling Resources That Do Not Exist"; A46; A88 "Resource
 * Timer"). Everything runs on the control loop.
 *
 * <ul>
 *   <li>{@link io.outrigger.xds.stream.AdsClients} wires the parts and is what others see
 *   <li>{@code StreamSupervisor} opens streams, one at a time, with back-off
 *   <li>{@code AdsSession} is the life of one stream; {@code ResponseHandler} one response
 *   <li>{@code Subscriptions} knows who watches what, {@code ResourceTimers} who is late
 * </ul>
 */
@NullMarked
package io.outrigger.xds.stream;

import org.jspecify.annotations.NullMarked;

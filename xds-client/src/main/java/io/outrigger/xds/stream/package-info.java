/**
 * The ADS client: streams to a control plane, subscriptions, ACK and NACK, resource timers (A57
 * "Handling ADS Stream Termination", "Handling Resources That Do Not Exist"; A46; A88 "Resource
 * Timer"). Everything runs on the control loop.
 *
 * <ul>
 *   <li>{@link io.outrigger.xds.stream.AdsClients} is the entry point of the package
 *   <li>{@code StreamSupervisor} opens streams, one at a time, with back-off
 *   <li>{@code AdsSession} handles one stream, {@code ResponseHandler} its responses
 *   <li>{@code Subscriptions} records the watchers of each resource
 *   <li>{@code ResourceTimers} reports resources that do not arrive in time
 * </ul>
 */
@NullMarked
package io.outrigger.xds.stream;

import org.jspecify.annotations.NullMarked;

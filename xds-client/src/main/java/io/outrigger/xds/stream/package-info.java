/**
 * The ADS client: streams to a control plane, subscriptions, ACK and NACK, resource timers (A57
 * "Handling ADS Stream Termination", "Handling Resources That Do Not Exist"; A46; A88 "Resource
 * Timer"). Everything runs on the control loop.
 */
@NullMarked
package io.outrigger.xds.stream;

import org.jspecify.annotations.NullMarked;

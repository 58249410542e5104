/**
 * The ADS client: streams to a control plane, subscriptions, ACK and NACK, resource timers (A46,
 * A57, A88). All code runs on the control loop, except the decoding of responses.
 */
package io.outrigger.xds.stream;

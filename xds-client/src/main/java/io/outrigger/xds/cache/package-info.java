/**
 * What is known of each subscribed resource: the version in use, the latest error, and how both
 * change (A88 "Cache Entry States", "Handling Data Errors", "Handling Transient Errors"). Values
 * and pure functions, used on the control loop by {@code xds.stream}. Nothing here knows protobuf,
 * streams or timers.
 */
@NullMarked
package io.outrigger.xds.cache;

import org.jspecify.annotations.NullMarked;

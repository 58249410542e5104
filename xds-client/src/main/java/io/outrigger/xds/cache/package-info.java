/**
 * The state of each subscribed resource: the version in use, the latest error, and their changes
 * (A88 "Cache Entry States", "Handling Data Errors", "Handling Transient Errors"). The package
 * consists of values and pure functions, without protobuf, streams or timers.
 */
package io.outrigger.xds.cache;

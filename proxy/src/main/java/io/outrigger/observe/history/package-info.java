/**
 * Keeps the traffic of the last hour per minute, cluster and endpoint. Event loops record into
 * their own data; the control loop collects this data. All memory use is bounded.
 */
package io.outrigger.observe.history;

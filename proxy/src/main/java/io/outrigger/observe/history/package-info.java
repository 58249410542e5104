/**
 * What calls came to: minute by minute for an hour, by cluster and endpoint, and the last call of
 * each path, by sample. Event loops record without sharing anything; the control loop gathers. All
 * of it is bounded.
 */
@NullMarked
package io.outrigger.observe.history;

import org.jspecify.annotations.NullMarked;

/**
 * What is counted for the control plane, until it is reported (A27 load reporting, A64, A85). The
 * counts of calls are those that subchannels keep anyway; here they are read, put together by
 * locality and kept apart by server. Control loop; {@link io.outrigger.lb.load.MetricTally} is what
 * event loops touch.
 */
@NullMarked
package io.outrigger.lb.load;

import org.jspecify.annotations.NullMarked;

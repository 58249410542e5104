/**
 * Counts for load reports to the control plane (A27 load reporting, A64, A85). The counts of calls
 * are those that subchannels keep anyway; this package reads them and adds them up by server and
 * locality. Control loop; event loops touch only {@link io.outrigger.lb.load.MetricTally}.
 */
@NullMarked
package io.outrigger.lb.load;

import org.jspecify.annotations.NullMarked;

/**
 * Counts for load reports to the control plane (A27 load reporting, A64, A85). Subchannels count
 * calls even without load reports. This package adds up the counts of subchannels by server and
 * locality. All classes are used on the control loop; event loops use only {@link
 * io.outrigger.lb.load.MetricTally}.
 */
package io.outrigger.lb.load;

/**
 * Outlier detection (A50). The policy is the root of a leaf cluster's tree, so it covers all
 * priorities of the cluster (A75). The policy runs on the control loop; only the counting of calls
 * happens on event loops.
 *
 * <p>The class {@link io.outrigger.lb.outlier.OutlierDetectionPolicy} implements A50 "Outlier
 * Detection Behavior" with {@code TrackerTable} (A50's map), {@code SweepTimer} (A50's timer) and
 * {@code Detector}; {@code EjectableSubchannel} is A50's "Subchannel Wrapper"; {@code
 * OutlierAlgorithms} has the two algorithms.
 */
@NullMarked
package io.outrigger.lb.outlier;

import org.jspecify.annotations.NullMarked;

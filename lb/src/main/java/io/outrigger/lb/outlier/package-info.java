/**
 * Outlier detection (A50) in its place above everything that belongs to one cluster, so that it
 * sees all priorities (A75). Control loop; only the counting of calls happens on event loops.
 *
 * <p>A50 "Outlier Detection Behavior" is {@link io.outrigger.lb.outlier.OutlierDetectionPolicy},
 * its map {@code TrackerTable}, its timer {@code SweepTimer} and {@code Detector}; "Subchannel
 * Wrapper" is {@code EjectableSubchannel}; each algorithm has a class of its own.
 */
@NullMarked
package io.outrigger.lb.outlier;

import org.jspecify.annotations.NullMarked;

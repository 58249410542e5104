/**
 * Outlier detection (A50). The outlier_detection policy is the root of a leaf cluster's tree, and
 * so covers all priorities of the cluster (A75). The policy runs on the control loop; only the
 * counting of calls happens on event loops.
 */
package io.outrigger.lb.outlier;

/**
 * The place of outlier detection in the tree: above everything that belongs to one cluster, so that
 * it sees all its priorities (A75). Control loop. The node passes everything through: detection
 * itself (A50) is not part of this version, and a cluster that configures it is balanced without.
 */
@NullMarked
package io.outrigger.lb.outlier;

import org.jspecify.annotations.NullMarked;

/**
 * Builds a live tree per cluster from an XdsConfig, and manages the lifetime of clusters (A75 for
 * the structure, A31 for the lifetime). The trees are built and updated on the control loop; event
 * loops use only {@link io.outrigger.lb.tree.ClusterHandle}.
 */
@NullMarked
package io.outrigger.lb.tree;

import org.jspecify.annotations.NullMarked;

/**
 * From an XdsConfig to a live tree per cluster, and the life of clusters (A75 shape, A31 lifetime).
 * The tree is built and updated on the control loop; event loops touch only {@link
 * io.outrigger.lb.tree.ClusterHandle}.
 */
@NullMarked
package io.outrigger.lb.tree;

import org.jspecify.annotations.NullMarked;

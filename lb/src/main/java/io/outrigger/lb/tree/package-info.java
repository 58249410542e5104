/**
 * Builds one tree of policies per cluster from an XdsConfig (A75), and manages the lifetime of
 * clusters (A31). The trees are built and updated on the control loop; event loops use only {@link
 * io.outrigger.lb.tree.ClusterHandle}.
 */
package io.outrigger.lb.tree;

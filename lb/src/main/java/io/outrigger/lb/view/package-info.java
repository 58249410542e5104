/**
 * The load-balancing tree as operators see it. Status views show the nodes and endpoints of the
 * tree and the counts of their calls. The log, the metrics and the event history receive the events
 * of the tree. Policies describe themselves to a {@link io.outrigger.lb.view.NodeVisitor} and
 * report events to an {@link io.outrigger.lb.view.LbObserver}. This package does not affect calls.
 * The classes are used on the control loop; published values are immutable.
 */
package io.outrigger.lb.view;

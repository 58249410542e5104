/**
 * The output of the tree for people: nodes, endpoints and their counts for status views, and events
 * for the log, the metrics and the event history. Policies describe themselves to a {@link
 * io.outrigger.lb.view.NodeVisitor} and report events to an {@link
 * io.outrigger.lb.view.LbObserver}; this package does not affect calls. The classes are used on the
 * control loop; published values are immutable.
 */
@NullMarked
package io.outrigger.lb.view;

import org.jspecify.annotations.NullMarked;

/**
 * The tree for people: nodes, endpoints and their counts for status views, events for the log,
 * metrics and the list of events. Policies show themselves to a {@link
 * io.outrigger.lb.view.NodeVisitor} and report events to an {@link
 * io.outrigger.lb.view.LbObserver}; nothing here decides about a call. Control loop; published
 * values are immutable.
 */
@NullMarked
package io.outrigger.lb.view;

import org.jspecify.annotations.NullMarked;

/**
 * The tree as people look at it: nodes, endpoints and their counts for status views, events for the
 * log, metrics and the list of events. Policies show themselves to a {@link
 * io.outrigger.lb.view.NodeVisitor} and tell an {@link io.outrigger.lb.view.LbObserver}; nothing
 * that decides about a call is here. Control loop; what is handed out is immutable.
 */
@NullMarked
package io.outrigger.lb.view;

import org.jspecify.annotations.NullMarked;

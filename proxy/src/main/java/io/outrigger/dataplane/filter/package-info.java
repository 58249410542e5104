/**
 * The HTTP filters between routing and the pick (A39): faults (A33), sessions that a cookie carries
 * (A55, A60). A {@link RouteFilter} is what a listener's filter is on one route, prepared when
 * routes are published; a {@link FilterPass} is one request's way through those of its route, in
 * the listener's order. Filters are immutable and shared by event loops, except for what {@link
 * HttpFilters} counts for the whole process; nothing is remembered from one request to the next
 * (SC-42), and nothing here knows sockets.
 *
 * <p>A new filter is a {@link RouteFilter} and a line in {@link HttpFilters}; its settings are made
 * in {@code xds.decode.FilterDecoders}.
 */
@NullMarked
package io.outrigger.dataplane.filter;

import org.jspecify.annotations.NullMarked;

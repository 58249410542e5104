/**
 * The HTTP filters that run between routing and the pick (A39): fault injection (A33) and
 * cookie-based sessions (A55, A60). A {@link RouteFilter} is a listener's filter configured for one
 * route, prepared when routes are published. A {@link FilterChain} runs one request through the
 * filters of its route in the listener's order. Filters are immutable and shared by event loops;
 * only counts of the whole process, such as active faults, are mutable. Filters keep no state from
 * one request to the next (SC-42). Nothing in this package depends on sockets.
 *
 * <p>A new filter needs a {@link RouteFilter}, a line in {@link HttpFilters}, and a decoder for its
 * settings in {@code xds.decode.FilterDecoders}.
 */
@NullMarked
package io.outrigger.dataplane.filter;

import org.jspecify.annotations.NullMarked;

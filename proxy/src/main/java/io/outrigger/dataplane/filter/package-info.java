/**
 * The HTTP filters that run between routing and the pick (A39): fault injection (A33), cookie-based
 * sessions (A55, A60), and RBAC for served ports (A41). Filters are created when routes are
 * published. Filters keep no state between requests, except counts of the whole process (SC-42).
 * Nothing in this package depends on sockets.
 *
 * <p>A new filter needs a {@link RouteFilter}, a line in {@link HttpFilters}, and a decoder for the
 * settings in {@code xds.decode.FilterDecoders}.
 */
package io.outrigger.dataplane.filter;

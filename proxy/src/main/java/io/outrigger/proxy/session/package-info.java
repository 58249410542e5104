/**
 * Sessions that a cookie carries (A55, A60): what a request's cookie says, what picks are told of
 * it, and which cookie the response brings. Filters are immutable and shared by event loops, a
 * session belongs to one call. Nothing is remembered from one request to the next (SC-42).
 */
@NullMarked
package io.outrigger.proxy.session;

import org.jspecify.annotations.NullMarked;

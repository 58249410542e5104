/**
 * The HTTP filters between routing and the pick (A39, A33): the chain of a route, prepared when
 * routes are published, and one request's way through it. Chains are immutable and shared by event
 * loops; nothing here knows sockets.
 */
@NullMarked
package io.outrigger.proxy.filter;

import org.jspecify.annotations.NullMarked;

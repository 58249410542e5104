/**
 * Listeners of clients and of servers: routes, HTTP filters and stream limits (A27, A31, A39), and
 * for servers the filter chains and the connections that each chain is for (A36). All types are
 * immutable; any thread may use them.
 */
@NullMarked
package io.outrigger.config.listener;

import org.jspecify.annotations.NullMarked;

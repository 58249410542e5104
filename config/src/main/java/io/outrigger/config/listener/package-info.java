/**
 * Listener resources for clients and for servers: routes, HTTP filters and stream limits (A27, A31,
 * A39), and the filter chains of servers with their match conditions (A36). All types are
 * immutable; any thread may use them.
 */
package io.outrigger.config.listener;

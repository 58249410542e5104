/**
 * Listeners on TCP and unix sockets, and the connections that they accept. Each connection belongs
 * to one event loop. Implements the accepting part of CONTRACT sections 2 and 5 (SC-01, SC-44).
 */
package io.outrigger.dataplane.downstream;

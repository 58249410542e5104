/**
 * Forwards requests: reads the headers, selects a route, picks an endpoint, opens a stream to the
 * backend and sends one answer. A call runs on the event loop that accepted the call. Nothing in
 * this package blocks. Implements A31 "Config Selector" for calls, the call side of A57 and A54,
 * and CONTRACT section 5.
 */
package io.outrigger.dataplane.forward;

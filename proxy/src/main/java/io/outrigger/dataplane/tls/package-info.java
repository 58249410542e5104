/**
 * TLS to backends and from callers (A29): TLS contexts built from certificates, handshakes, and the
 * properties of each connection's peer.
 */
@NullMarked
package io.outrigger.dataplane.tls;

import org.jspecify.annotations.NullMarked;

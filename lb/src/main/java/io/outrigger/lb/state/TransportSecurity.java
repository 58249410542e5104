package io.outrigger.lb.state;

import java.time.Instant;

/**
 * The TLS of a connection, as status views show it.
 *
 * @param protocol such as {@code TLSv1.3}
 * @param cipher as IANA names it
 * @param peer the peer's first URI SAN, else its first DNS SAN, else its subject
 * @param peerExpires when its certificate ends
 */
public record TransportSecurity(String protocol, String cipher, String peer, Instant peerExpires) {}

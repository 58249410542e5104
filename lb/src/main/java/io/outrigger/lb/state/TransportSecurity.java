package io.outrigger.lb.state;

import java.time.Instant;

/**
 * The TLS properties of a connection, for status views.
 *
 * @param protocol the protocol version, such as {@code TLSv1.3}
 * @param cipher the cipher suite by its IANA name
 * @param peer the first URI SAN of the peer's certificate, or else its first DNS SAN, or else its
 *     subject
 */
public record TransportSecurity(String protocol, String cipher, String peer, Instant peerExpires) {}

/**
 * TLS as a client, to backends (A29) and to control planes (A65) alike: one choice of library, one
 * policy (versions, cipher suites, no resumption), one way to judge certificates and to say why a
 * handshake has failed. Any thread.
 */
@NullMarked
package io.outrigger.identity.tls;

import org.jspecify.annotations.NullMarked;

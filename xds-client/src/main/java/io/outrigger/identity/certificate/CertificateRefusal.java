package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import io.outrigger.config.tls.HandshakeResult;

/**
 * The reason why the certificate of a peer is not accepted.
 *
 * @param text the reason for operators; one line
 */
@AnyThread
public record CertificateRefusal(HandshakeResult result, String text) {}

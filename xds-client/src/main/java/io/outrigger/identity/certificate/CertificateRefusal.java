package io.outrigger.identity.certificate;

import io.outrigger.config.tls.HandshakeResult;

/** The one-line reason why the certificate of a peer is not accepted. */
public record CertificateRefusal(HandshakeResult result, String text) {}

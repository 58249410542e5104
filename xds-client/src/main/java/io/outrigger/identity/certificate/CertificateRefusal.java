package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import io.outrigger.config.tls.HandshakeResult;

/** The one-line reason why the certificate of a peer is not accepted. */
@AnyThread
public record CertificateRefusal(HandshakeResult result, String text) {}

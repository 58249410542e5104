package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import io.outrigger.config.tls.UpstreamTls;
import java.util.Optional;

/**
 * The settings and certificates for the TLS connections of a cluster. Equal material gives equal
 * TLS contexts, so one context is enough for all connections (A29-20).
 *
 * @param identity presented to servers that request it; empty when the cluster names none
 */
@AnyThread
public record TlsMaterial(UpstreamTls settings, Optional<Identity> identity, Roots roots) {}

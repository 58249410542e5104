package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import io.outrigger.config.tls.UpstreamTls;
import java.util.Optional;

/**
 * All that TLS connections of a cluster need, as it stands. Equal material makes equal TLS
 * contexts: one is enough for all connections (A29-20).
 *
 * @param identity shown to servers that ask; empty when the cluster names none
 */
@AnyThread
public record TlsMaterial(UpstreamTls settings, Optional<Identity> identity, Roots roots) {}

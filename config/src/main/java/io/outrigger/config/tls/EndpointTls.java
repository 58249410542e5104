package io.outrigger.config.tls;

import java.util.Optional;

/** The TLS settings of one endpoint; {@code serverName} is sent in SNI (A101). */
public record EndpointTls(UpstreamTls settings, Optional<String> serverName) {}

package io.outrigger.config.tls;

import java.util.Optional;

/**
 * The TLS settings for connections to one endpoint.
 *
 * @param serverName the server name to send in SNI; empty to send none (A101)
 */
public record EndpointTls(UpstreamTls settings, Optional<String> serverName) {}

package io.outrigger.config.tls;

import java.util.Optional;

/**
 * How one endpoint is reached by TLS.
 *
 * @param settings those of its cluster
 * @param serverName to ask it for; empty to ask for none (A101)
 */
public record EndpointTls(UpstreamTls settings, Optional<String> serverName) {}

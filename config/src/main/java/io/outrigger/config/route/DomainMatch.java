package io.outrigger.config.route;

/**
 * The virtual host that serves an authority.
 *
 * @param domain the best matching domain of the host, as the control plane wrote it
 */
public record DomainMatch(String domain, VirtualHost host) {}

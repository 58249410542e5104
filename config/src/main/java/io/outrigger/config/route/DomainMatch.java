package io.outrigger.config.route;

/**
 * The virtual host that serves an authority.
 *
 * @param domain the one of its domains that fits best, as the control plane wrote it
 */
public record DomainMatch(String domain, VirtualHost host) {}

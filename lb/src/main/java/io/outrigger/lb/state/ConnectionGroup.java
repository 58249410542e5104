package io.outrigger.lb.state;

import io.outrigger.config.endpoint.Locality;

/**
 * Connections that are counted together (A94).
 *
 * @param secure whether the connections are encrypted and authenticated
 */
public record ConnectionGroup(String cluster, Locality locality, boolean secure) {}

package io.outrigger.lb.config;

import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.Locality;

/**
 * An endpoint with its locality and priority.
 *
 * @param priority the priority of the locality in its cluster, 0 for the highest; only messages and
 *     status views use the priority
 */
public record Backend(Endpoint endpoint, Locality locality, int priority) {}

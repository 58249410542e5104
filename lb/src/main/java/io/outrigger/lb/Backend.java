package io.outrigger.lb;

import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.Locality;

/** An endpoint and where it stands. */
public record Backend(Endpoint endpoint, Locality locality) {}

package io.outrigger.config.endpoint;

import java.util.List;

/** The endpoints of one locality in one priority; {@code weight} is unsigned 32 bit, at least 1. */
public record LocalityEndpoints(Locality locality, long weight, List<Endpoint> endpoints) {
  public LocalityEndpoints {
    endpoints = List.copyOf(endpoints);
  }
}

package io.outrigger.config.endpoint;

import io.outrigger.base.ListChange;
import java.util.List;

/** The endpoints of one locality in one priority; {@code weight} is unsigned 32 bit, at least 1. */
public record LocalityEndpoints(Locality locality, long weight, List<Endpoint> endpoints) {
  public LocalityEndpoints {
    endpoints = List.copyOf(endpoints);
  }

  /** Returns equal endpoints that reuse equal parts of {@code before}. */
  LocalityEndpoints sharing(LocalityEndpoints before) {
    List<Endpoint> shared = ListChange.shared(before.endpoints, endpoints);
    return shared == before.endpoints && weight == before.weight
        ? before
        : new LocalityEndpoints(before.locality, weight, shared);
  }
}

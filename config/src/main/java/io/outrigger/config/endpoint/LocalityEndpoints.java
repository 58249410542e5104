package io.outrigger.config.endpoint;

import io.outrigger.base.ListChange;
import java.util.List;

/** The endpoints of one locality in one priority; {@code weight} is unsigned 32 bit, at least 1. */
public record LocalityEndpoints(Locality locality, long weight, List<Endpoint> endpoints) {
  public LocalityEndpoints {
    endpoints = List.copyOf(endpoints);
  }

  /** Returns an equal value that reuses the equal parts of {@code previous}. */
  LocalityEndpoints sharing(LocalityEndpoints previous) {
    List<Endpoint> shared = ListChange.shared(previous.endpoints, endpoints);
    return shared == previous.endpoints && weight == previous.weight
        ? previous
        : new LocalityEndpoints(previous.locality, weight, shared);
  }
}

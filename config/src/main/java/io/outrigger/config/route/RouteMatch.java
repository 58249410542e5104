package io.outrigger.config.route;

import java.util.List;
import java.util.Optional;

/** All that must hold for a route to be taken (A28). */
public record RouteMatch(
    PathMatcher path, List<HeaderMatcher> headers, Optional<Fraction> fraction) {
  public RouteMatch {
    headers = List.copyOf(headers);
  }
}

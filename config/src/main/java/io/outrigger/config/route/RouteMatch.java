package io.outrigger.config.route;

import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import java.util.List;
import java.util.Optional;

/** All that must hold for a route to be taken (A28). */
public record RouteMatch(
    PathMatcher path, List<HeaderMatcher> headers, Optional<Fraction> fraction) {
  public RouteMatch {
    headers = List.copyOf(headers);
  }

  /**
   * Whether a request is the route's: path, then headers, then one draw for its share. Allocates
   * nothing itself.
   *
   * @param path the request's, without its query
   */
  public boolean matches(String path, RequestView request, RandomSource random) {
    if (!this.path.matches(path)) {
      return false;
    }
    for (int i = 0; i < headers.size(); i++) {
      if (!headers.get(i).matches(request)) {
        return false;
      }
    }
    return fraction.isEmpty() || fraction.get().draw(random, Purpose.ROUTE_FRACTION);
  }
}

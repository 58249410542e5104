package io.outrigger.config.route;

import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import java.util.List;
import java.util.Optional;

/** The conditions of a route (A28). */
public record RouteMatch(
    StringMatcher path, List<HeaderMatcher> headers, Optional<Fraction> fraction) {
  public RouteMatch {
    headers = List.copyOf(headers);
  }

  /** {@link #miss} returns this value when all matchers accept the request. */
  public static final int NO_MISS = -1;

  /**
   * Finds the first matcher that does not accept a request. Path, headers and the random draw for
   * {@code fraction} are checked in this order. Allocates no objects, unless a matcher does.
   *
   * @param path the path of the request, without the query
   * @return the number of the matcher (see {@link #matcher}), or {@link #NO_MISS}
   */
  public int miss(String path, RequestView request, RandomSource random) {
    if (!this.path.matches(path)) {
      return 0;
    }
    for (int i = 0; i < headers.size(); i++) {
      if (!headers.get(i).matches(request)) {
        return 1 + i;
      }
    }
    boolean isDrawn = fraction.isEmpty() || fraction.get().draw(random, Purpose.ROUTE_FRACTION);
    return isDrawn ? NO_MISS : 1 + headers.size();
  }

  /** Describes the matcher whose number {@link #miss} returned. */
  public String matcher(int number) {
    if (number == 0) {
      return "path " + path;
    }
    return number <= headers.size()
        ? "header " + headers.get(number - 1)
        : "share " + fraction.map(Fraction::toString).orElse("of all");
  }
}

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

  /** What {@link #miss} answers when nothing stands in the way. */
  public static final int NO_MISS = -1;

  /**
   * Which matcher keeps a request from being the route's: path, then headers, then one draw for its
   * share. Allocates nothing itself.
   *
   * @param path the request's, without its query
   * @return the number of the matcher, see {@link #matcher}; or {@link #NO_MISS}
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

  /** Whether a request is the route's; see {@link #miss}. */
  public boolean matches(String path, RequestView request, RandomSource random) {
    return miss(path, request, random) == NO_MISS;
  }

  /** A matcher in words, by the number that {@link #miss} gives. */
  public String matcher(int number) {
    if (number == 0) {
      return path.toString();
    }
    return number <= headers.size()
        ? "header " + headers.get(number - 1)
        : "share " + fraction.map(Fraction::toString).orElse("of all");
  }
}

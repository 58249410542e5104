package io.outrigger.xds.overlay;

import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.RouteMatch.PathSpecifierCase;
import io.outrigger.base.AnyThread;
import io.outrigger.config.overlay.OverlayRule;
import java.util.List;

/**
 * A rule for routes. A list that is empty is no condition.
 *
 * @param targets as configured, such as {@code xds:///orders}
 * @param path of routes for one path
 * @param pathPrefix of routes for paths that begin alike
 * @param name of the route
 * @param patch part of a {@code RouteAction}
 */
@AnyThread
public record RouteRule(
    OverlayRule rule,
    List<Glob> targets,
    List<Glob> path,
    List<Glob> pathPrefix,
    List<Glob> name,
    Patch patch) {
  public RouteRule {
    targets = List.copyOf(targets);
    path = List.copyOf(path);
    pathPrefix = List.copyOf(pathPrefix);
    name = List.copyOf(name);
  }

  /** Whether it is for {@code target}. */
  public boolean isFor(String target) {
    return allows(targets, target);
  }

  /** Whether it is for {@code route}, which forwards, of a target that it is for. */
  public boolean isFor(Route route) {
    RouteMatch match = route.getMatch();
    PathSpecifierCase specifier = match.getPathSpecifierCase();
    return allows(name, route.getName())
        && (path.isEmpty()
            || (specifier == PathSpecifierCase.PATH && allows(path, match.getPath())))
        && (pathPrefix.isEmpty()
            || (specifier == PathSpecifierCase.PREFIX && allows(pathPrefix, match.getPrefix())));
  }

  private static boolean allows(List<Glob> globs, String text) {
    if (globs.isEmpty()) {
      return true;
    }
    for (Glob glob : globs) {
      if (glob.matches(text)) {
        return true;
      }
    }
    return false;
  }
}

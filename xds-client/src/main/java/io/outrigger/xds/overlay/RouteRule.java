package io.outrigger.xds.overlay;

import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.RouteMatch.PathSpecifierCase;
import io.outrigger.base.AnyThread;
import io.outrigger.config.overlay.OverlayRule;
import java.util.List;

/**
 * An overlay rule for routes. An empty list of patterns matches everything.
 *
 * @param targets patterns for targets as configured, such as {@code xds:///orders}
 * @param path patterns for the path of routes that match one exact path
 * @param pathPrefix patterns for the prefix of routes that match by prefix
 * @param patch the fields of {@code RouteAction} that the rule sets
 */
@AnyThread
public record RouteRule(
    OverlayRule rule,
    List<Glob> targets,
    List<Glob> path,
    List<Glob> pathPrefix,
    List<Glob> name,
    Patch patch)
    implements Overlay.Rule {
  public RouteRule {
    targets = List.copyOf(targets);
    path = List.copyOf(path);
    pathPrefix = List.copyOf(pathPrefix);
    name = List.copyOf(name);
  }

  public boolean isFor(String target) {
    return allows(targets, target);
  }

  /** Whether the rule applies to {@code route}. The caller has already checked the target. */
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
    return globs.isEmpty() || Glob.any(globs, text);
  }
}

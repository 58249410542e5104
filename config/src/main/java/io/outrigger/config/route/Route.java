package io.outrigger.config.route;

import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.Xxh64;
import io.outrigger.config.overlay.OverlayEffect;
import java.util.Map;
import java.util.Optional;

/**
 * One route of a virtual host. Routes that a proxyless client must skip (query parameters, cluster
 * header) never get here.
 *
 * @param name may be empty
 * @param index its place in the virtual host as the control plane sent it, from 0
 * @param filterOverrides by filter name (A39)
 * @param metadata what the control plane notes beside the route, as JSON by its filter's name: such
 *     as, under {@code istio}, the VirtualService that it was made of
 * @param overlay what of {@code action} is local policy; empty when no rule matched
 */
public record Route(
    String name,
    int index,
    RouteMatch match,
    RouteAction action,
    Map<String, FilterConfig> filterOverrides,
    Map<String, String> metadata,
    Optional<RouteOverlay> overlay) {
  public Route {
    filterOverrides = Map.copyOf(filterOverrides);
    metadata = Map.copyOf(metadata);
  }

  /** A route as the control plane sent it. */
  public Route(
      String name,
      int index,
      RouteMatch match,
      RouteAction action,
      Map<String, FilterConfig> filterOverrides,
      Map<String, String> metadata) {
    this(name, index, match, action, filterOverrides, metadata, Optional.empty());
  }

  /** A route without metadata. */
  public Route(
      String name,
      int index,
      RouteMatch match,
      RouteAction action,
      Map<String, FilterConfig> filterOverrides) {
    this(name, index, match, action, filterOverrides, Map.of());
  }

  /** The same route with local policy over its action. */
  public Route overlaid(RouteAction changed, OverlayEffect effect) {
    return new Route(
        name,
        index,
        match,
        changed,
        filterOverrides,
        metadata,
        Optional.of(new RouteOverlay(action, effect)));
  }

  /** Its name, or {@code #} and its index. */
  public String label() {
    return name.isEmpty() ? "#" + index : name;
  }

  /**
   * The hash of a request that takes this route; random when nothing of the request gives one
   * (A42).
   *
   * @param channelId see {@link HashPolicy.ChannelId}
   */
  public long hash(RequestView request, long channelId, RandomSource random) {
    Long hash =
        action instanceof RouteAction.Forward forward
            ? HashPolicy.hash(forward.hashPolicies(), request, channelId)
            : null;
    return hash != null ? hash : randomHash(random);
  }

  /** A hash that nothing decides, uniform over all 64 bits. */
  public static long randomHash(RandomSource random) {
    return Xxh64.hash(random.nextLong(Long.MAX_VALUE, Purpose.HASH));
  }
}

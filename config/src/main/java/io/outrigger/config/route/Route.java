package io.outrigger.config.route;

import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.Xxh64;
import io.outrigger.config.overlay.OverlayEffect;
import java.util.Map;
import java.util.Optional;

/**
 * One route of a virtual host. The decoder drops routes that a proxyless client must skip: those
 * with query parameters or a cluster header.
 *
 * @param name the route's name; may be empty
 * @param index the route's position, from 0, in the virtual host that the control plane sent
 * @param filterOverrides the settings that replace the listener's settings, by filter name (A39)
 * @param overlay the effect of local policy on {@code action}; empty when no rule matched
 */
public record Route(
    String name,
    int index,
    RouteMatch match,
    RouteAction action,
    Map<String, FilterConfig> filterOverrides,
    Optional<OverlayEffect> overlay) {
  public Route {
    filterOverrides = Map.copyOf(filterOverrides);
  }

  public Route(
      String name,
      int index,
      RouteMatch match,
      RouteAction action,
      Map<String, FilterConfig> filterOverrides) {
    this(name, index, match, action, filterOverrides, Optional.empty());
  }

  public Route overlaid(RouteAction changed, OverlayEffect effect) {
    return new Route(name, index, match, changed, filterOverrides, Optional.of(effect));
  }

  /** Returns the route's name, or {@code #} and the index for a route without a name. */
  public String label() {
    return name.isEmpty() ? "#" + index : name;
  }

  /**
   * Returns the hash of a request on this route, or a random hash if no policy contributes a hash
   * (A42). {@code channelId} is the hash that {@link HashPolicy.ChannelId} contributes.
   */
  public long hash(RequestView request, long channelId, RandomSource random) {
    Long hash =
        action instanceof RouteAction.Forward forward
            ? HashPolicy.hash(forward.hashPolicies(), request, channelId)
            : null;
    return hash != null ? hash : randomHash(random);
  }

  /** Returns a random hash, uniform over all 64 bits. */
  public static long randomHash(RandomSource random) {
    return Xxh64.hash(random.nextLong(Long.MAX_VALUE, Purpose.HASH));
  }
}

package io.outrigger.lb.tree;

import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.endpoint.Reach;
import io.outrigger.lb.config.Backend;
import java.util.List;

/**
 * The endpoints of a locality in the form that policies use.
 *
 * @param usable the backends that ordinary requests may reach (A27-08)
 * @param unusable the backends that ordinary requests may not reach
 */
record LocalityBackends(LocalityEndpoints source, List<Backend> usable, List<Backend> unusable) {
  /**
   * @param priority the priority of the locality in its cluster, 0 the highest
   * @param reach how the endpoints are connected; the addresses of the backends include it
   */
  static LocalityBackends of(LocalityEndpoints source, int priority, Reach reach) {
    List<Backend> all =
        source.endpoints().stream()
            .map(endpoint -> new Backend(reach.of(endpoint), source.locality(), priority))
            .toList();
    return new LocalityBackends(
        source,
        all.stream().filter(LocalityBackends::isUsable).toList(),
        all.stream().filter(backend -> !isUsable(backend)).toList());
  }

  private static boolean isUsable(Backend backend) {
    return backend.endpoint().health().isUsable();
  }
}

package io.outrigger.dataplane.route;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.listener.ListenerResource;
import io.outrigger.config.route.RouteIndex;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.lb.tree.ClusterHandle;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the selectors of one target, one configuration after the other. What an update leaves as it
 * was is not built again: other endpoints leave the selector alone, other clusters the index of the
 * routes.
 */
@ControlConfined
public final class ConfigSelectors {
  private final String authority;
  private final HttpFilters filters;
  private final boolean ignoreRouteTimeout;
  private RouteIndex routes = RouteIndex.of(List.of());
  private @Nullable Made last;

  /** A selector and all that it depends on. */
  private record Made(
      VirtualHost host,
      ListenerResource listener,
      Map<String, ClusterHandle> handles,
      ConfigSelector selector) {
    boolean isFor(XdsConfig config, Map<String, ClusterHandle> current) {
      return host.equals(config.virtualHost())
          && listener.equals(config.listener())
          && handles.equals(current);
    }
  }

  /**
   * @param authority the target's data-plane authority, for messages
   * @param filters those of the process
   * @param ignoreRouteTimeout see {@link EffectiveTimeout#of}
   */
  public ConfigSelectors(String authority, HttpFilters filters, boolean ignoreRouteTimeout) {
    this.authority = authority;
    this.filters = filters;
    this.ignoreRouteTimeout = ignoreRouteTimeout;
  }

  /**
   * The selector of {@code config}; the one before when that would be the same.
   *
   * @param handles every cluster that a route of {@code config} names
   */
  public ConfigSelector next(XdsConfig config, Map<String, ClusterHandle> handles) {
    if (last != null && last.isFor(config, handles)) {
      return last.selector();
    }
    VirtualHost host = config.virtualHost();
    routes = routes.with(host.routes());
    var selector =
        ConfigSelector.of(authority, config, routes, handles, filters, ignoreRouteTimeout);
    last = new Made(host, config.listener(), Map.copyOf(handles), selector);
    return selector;
  }

  /**
   * The selector while there is no usable configuration. What comes after it is new in any case:
   * meanwhile clusters are retired, and a call that one of them refused waits for another selector
   * than the one that led there.
   */
  public ConfigSelector failing(RpcStatus status) {
    last = null;
    return ConfigSelector.failing(authority, status);
  }

  /** The selector of a target that nobody watches any more: there will be no other. */
  public ConfigSelector released(RpcStatus status) {
    last = null;
    return ConfigSelector.released(authority, status);
  }
}

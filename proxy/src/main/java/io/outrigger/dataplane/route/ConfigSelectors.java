package io.outrigger.dataplane.route;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.lb.tree.ClusterHandle;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Creates the selectors of one target, one per configuration. An update of endpoints keeps the
 * selector.
 */
@ControlConfined
public final class ConfigSelectors {
  private final String authority;
  private final HttpFilters filters;
  private final boolean ignoreRouteTimeout;
  private @Nullable Built last;

  /** A selector and everything that it was created from. */
  private record Built(
      VirtualHost host,
      ApiListener listener,
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
   * @param ignoreRouteTimeout see {@link EffectiveTimeout#of}
   */
  public ConfigSelectors(String authority, HttpFilters filters, boolean ignoreRouteTimeout) {
    this.authority = authority;
    this.filters = filters;
    this.ignoreRouteTimeout = ignoreRouteTimeout;
  }

  /**
   * Returns the selector of {@code config}; returns the previous selector when the new one would be
   * equal.
   *
   * @param handles all clusters that routes of {@code config} use, by name
   */
  public ConfigSelector next(XdsConfig config, Map<String, ClusterHandle> handles) {
    if (last != null && last.isFor(config, handles)) {
      return last.selector();
    }
    var selector = ConfigSelector.of(authority, config, handles, filters, ignoreRouteTimeout);
    last = new Built(config.virtualHost(), config.listener(), Map.copyOf(handles), selector);
    return selector;
  }

  /**
   * Returns the selector for a target without a usable configuration. The selector after this one
   * is always a new object: clusters may be retired meanwhile, and a call that a retired cluster
   * refused waits for another selector than the one that chose this cluster.
   */
  public ConfigSelector failing(RpcStatus status) {
    last = null;
    return ConfigSelector.failing(authority, status);
  }

  /** Returns the last selector, for a target that is no longer watched. */
  public ConfigSelector released(RpcStatus status) {
    last = null;
    return ConfigSelector.released(authority, status);
  }
}

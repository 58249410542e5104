package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.cache.CacheEntry;
import io.outrigger.xds.cache.CacheEvent;
import io.outrigger.xds.status.XdsStatusView;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The resources of one authority (A47), and its control planes in the order of preference (A71).
 *
 * <p>The servers in use are the first servers of the authority's list. Every server in use receives
 * requests for all resources.
 *
 * <pre>
 * the last server in use is unreachable,
 *   a resource is missing and another server is left   the next server is used too
 *   otherwise                                          watchers are notified (A71-05)
 * a server in use responds                             the servers after it are released (A71-04)
 * </pre>
 */
@ControlConfined
final class Authority {
  private final String name;
  private final List<StreamSupervisor> servers;
  private final boolean fallbackOnReachabilityOnly;
  private final Subscriptions subscriptions;
  private final KeptAuthority kept;
  private int inUse;
  private boolean outageReported; // whether watchers were notified of an outage

  /**
   * @param servers the servers of the authority in order of preference, at least one
   * @param fallbackOnReachabilityOnly whether an unreachable server suffices to use the next
   *     server, even if no resource is missing (A95)
   */
  Authority(
      ControlLoop loop,
      StateKeeper keeper,
      String scope,
      String name,
      List<StreamSupervisor> servers,
      boolean fallbackOnReachabilityOnly) {
    this.name = name;
    this.servers = List.copyOf(servers);
    this.fallbackOnReachabilityOnly = fallbackOnReachabilityOnly;
    this.subscriptions = new Subscriptions(loop, this::onChanged, this::onSubscriptionsChanged);
    this.kept =
        new KeptAuthority(keeper, scope, name, subscriptions, this::isReachable, this::onOutage);
  }

  Subscriptions subscriptions() {
    return subscriptions;
  }

  private boolean isReachable() {
    return inUse > 0 && last().outage().isEmpty();
  }

  private void onChanged(Subscription<?> subscription) {
    kept.onChanged(subscription);
  }

  XdsStatusView.Authority status() {
    return new XdsStatusView.Authority(
        name, servers.stream().map(StreamSupervisor::server).toList(), inUse);
  }

  private void onSubscriptionsChanged() {
    if (inUse == 0) {
      useNext();
    } else {
      releaseAfter(subscriptions.isEmpty() ? 1 : inUse);
      servers.subList(0, inUse).forEach(StreamSupervisor::onSubscriptionsChanged);
    }
    if (servers.subList(0, inUse).stream().anyMatch(StreamSupervisor::hasResponded)) {
      kept.onAnswered();
    }
    kept.onSubscriptionsChanged();
    onOutage(); // notifies new watchers without waiting for the next attempt (A57-09)
  }

  void onOutage() {
    while (last().outage().isPresent() && inUse < servers.size() && mustFallBack()) {
      // Resources of the next server will replace the resources in use (A71-03), so the versions
      // accepted from earlier servers are no longer valid.
      servers.subList(0, inUse).forEach(StreamSupervisor::forgetVersions);
      useNext();
    }
    if (last().outage().isPresent()) {
      outageReported = true;
      RpcStatus failure = failure();
      subscriptions.all().stream()
          .filter(subscription -> !kept.isRestoring(subscription))
          .forEach(subscription -> apply(subscription, failure));
    }
  }

  void onResponded(StreamSupervisor server) {
    int index = servers.subList(0, inUse).indexOf(server);
    if (index < 0) {
      return;
    }
    releaseAfter(index + 1);
    kept.onAnswered();
    if (outageReported) {
      outageReported = false;
      subscriptions.all().forEach(Authority::recover);
    }
  }

  private void useNext() {
    inUse++;
    last().serve(this);
  }

  private void releaseAfter(int count) {
    while (inUse > count) {
      inUse--;
      servers.get(inUse).release(this);
    }
  }

  private StreamSupervisor last() {
    return servers.get(inUse - 1);
  }

  private boolean mustFallBack() {
    return (fallbackOnReachabilityOnly && !subscriptions.isEmpty())
        || subscriptions.all().stream().anyMatch(s -> isMissing(s.entry()));
  }

  /** Whether the resource counts as missing from the cache (A71). */
  private static boolean isMissing(CacheEntry<?> entry) {
    return (entry.held().isEmpty() || entry.isStale()) && !entry.isKnownNotToExist();
  }

  /** Returns the status for a failure of all servers in use; the message names each of them. */
  private RpcStatus failure() {
    return RpcStatus.unavailable(
        servers.subList(0, inUse).stream()
            .flatMap(server -> server.outage().stream())
            .map(RpcStatus::message)
            .collect(Collectors.joining("; ")));
  }

  private static <T> void apply(Subscription<T> subscription, RpcStatus failure) {
    if (!subscription.entry().streamError().equals(Optional.of(failure))) {
      subscription.apply(new CacheEvent.StreamFailed<>(failure), ServerFeatures.NONE);
    }
  }

  private static <T> void recover(Subscription<T> subscription) {
    subscription.apply(new CacheEvent.StreamRecovered<>(), ServerFeatures.NONE);
  }
}

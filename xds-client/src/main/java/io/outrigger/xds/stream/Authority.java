package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.cache.CacheEntry;
import io.outrigger.xds.cache.CacheEvent;
import io.outrigger.xds.status.XdsStatusView;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The resources of one authority (A47), and its control planes in the order of preference (A71).
 *
 * <p>The servers in use are always the first few of the list. All of them are asked for everything;
 * what the last of them does decides, because every one before it cannot be reached.
 *
 * <pre>
 * the last in use cannot be reached,
 *   something is missing, a next one is there       the next is used too; nobody is told
 *   else                                            watchers are told (A71-05)
 * one in use responds                               those after it are used no more (A71-04)
 * </pre>
 */
@ControlConfined
final class Authority {
  private final String name;
  private final List<StreamSupervisor> servers;
  private final boolean fallbackOnReachabilityOnly;
  private final Subscriptions subscriptions;
  private int inUse;
  private boolean told; // whether watchers know of an outage

  /**
   * @param budget bounds what histories hold
   * @param servers at least one
   * @param fallbackOnReachabilityOnly whether the next server is used even if nothing is missing
   *     (A95)
   */
  Authority(
      ControlLoop loop,
      HistoryBudget budget,
      String name,
      List<StreamSupervisor> servers,
      boolean fallbackOnReachabilityOnly) {
    this.name = name;
    this.servers = List.copyOf(servers);
    this.fallbackOnReachabilityOnly = fallbackOnReachabilityOnly;
    this.subscriptions = new Subscriptions(loop, budget, this::onSubscriptionsChanged);
  }

  Subscriptions subscriptions() {
    return subscriptions;
  }

  <T> XdsClient.Watch watch(ResourceType<T> type, String resource, ResourceWatcher<T> watcher) {
    return subscriptions.watch(type, resource, watcher);
  }

  XdsStatusView.Authority status() {
    return new XdsStatusView.Authority(
        name, servers.stream().map(StreamSupervisor::server).toList(), inUse);
  }

  /** How it uses {@code server}, which may be another's. */
  XdsStatusView.Use useOf(StreamSupervisor server) {
    int place = servers.indexOf(server);
    if (place == 0) {
      return XdsStatusView.Use.PREFERRED;
    }
    return place > 0 && place < inUse ? XdsStatusView.Use.FALLBACK : XdsStatusView.Use.STANDBY;
  }

  private void onSubscriptionsChanged() {
    if (inUse == 0) {
      use();
    } else {
      useOnly(subscriptions.isEmpty() ? 1 : inUse);
      servers.subList(0, inUse).forEach(StreamSupervisor::onSubscriptionsChanged);
    }
    onOutage(); // who comes during an outage need not wait for the next attempt to fail (A57-09)
  }

  /** One of the servers in use may have become unreachable. */
  void onOutage() {
    while (last().outage().isPresent() && inUse < servers.size() && mustFallBack()) {
      // What is in use will be replaced by others' (A71-03), which the ones before know nothing of.
      servers.subList(0, inUse).forEach(StreamSupervisor::forgetVersions);
      use();
    }
    if (last().outage().isPresent()) {
      told = true;
      RpcStatus failure = failure();
      subscriptions.all().forEach(subscription -> apply(subscription, failure));
    }
  }

  /** A server gave the first response of a stream; it is handled after this returns. */
  void onResponded(StreamSupervisor server) {
    int index = servers.subList(0, inUse).indexOf(server);
    if (index < 0) {
      return;
    }
    useOnly(index + 1);
    if (told) {
      told = false;
      subscriptions.all().forEach(Authority::recover);
    }
  }

  private void use() {
    inUse++;
    last().serve(this);
  }

  private void useOnly(int first) {
    while (inUse > first) {
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

  /** Not cached in A71's sense: neither there to be used nor known not to exist. */
  private static boolean isMissing(CacheEntry<?> entry) {
    return entry.held().isEmpty() && !entry.isKnownNotToExist();
  }

  /** Every server in use by name: an operator has to see that all of them failed. */
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

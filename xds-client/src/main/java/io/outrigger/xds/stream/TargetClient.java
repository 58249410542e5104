package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.cache.CacheEntry.Held;
import io.outrigger.xds.status.XdsStatusView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * An XdsClient in the sense of A71. The client has one cache, and at most one stream to each
 * server, for the targets of one scope. The authority in a resource name selects the servers (A47).
 */
@ControlConfined
final class TargetClient {
  private final ControlLoop loop;
  private final String scope;
  private final Bootstrap bootstrap;
  private final Function<XdsServer, StreamSupervisor> supervisors;
  private final StateKeeper keeper;
  private final Map<XdsServer, StreamSupervisor> servers = new LinkedHashMap<>();
  private final Authority topLevel; // for old-style names (A47-04)
  private final Map<String, Authority> authorities = new LinkedHashMap<>();

  TargetClient(
      ControlLoop loop,
      String scope,
      Bootstrap bootstrap,
      Function<XdsServer, StreamSupervisor> supervisors,
      StateKeeper keeper) {
    this.loop = loop;
    this.scope = scope;
    this.bootstrap = bootstrap;
    this.supervisors = supervisors;
    this.keeper = keeper;
    this.topLevel = authority("", bootstrap.servers(), false);
  }

  <T> XdsClient.Watch watch(
      ResourceType<T> type, String name, String target, ResourceWatcher<T> watcher) {
    Outcome<ResourceName> read = ResourceName.of(type, name);
    if (!(read instanceof Outcome.Ok<ResourceName> ok)) {
      return failed(watcher, read.status());
    }
    Optional<String> authority = ok.value().authority();
    if (authority.isEmpty()) {
      return topLevel.subscriptions().watch(type, ok.value().text(), target, watcher);
    }
    Bootstrap.Authority known = bootstrap.authorities().get(authority.get());
    if (known == null) { // A47-02
      return failed(
          watcher,
          RpcStatus.unavailable(
              "%s \"%s\": authority \"%s\" is not among the bootstrap's authorities"
                  .formatted(type.noun(), name, authority.get())));
    }
    return authorities
        .computeIfAbsent(
            authority.get(),
            absent ->
                authority(
                    absent, bootstrap.serversOf(authority), known.fallbackOnReachabilityOnly()))
        .subscriptions()
        .watch(type, ok.value().text(), target, watcher);
  }

  private static <T> XdsClient.Watch failed(ResourceWatcher<T> watcher, RpcStatus reason) {
    watcher.onChanged(Outcome.failed(reason));
    return () -> {};
  }

  private Authority authority(String name, List<XdsServer> preferred, boolean reachabilityOnly) {
    return new Authority(
        loop,
        keeper,
        scope,
        name,
        preferred.stream()
            .distinct()
            .map(server -> servers.computeIfAbsent(server, supervisors)) // A47-08
            .toList(),
        reachabilityOnly);
  }

  boolean isInUse() {
    return everyAuthority().anyMatch(authority -> !authority.subscriptions().isEmpty());
  }

  List<Subscription<?>> subscriptions() {
    return everyAuthority()
        .<Subscription<?>>flatMap(authority -> authority.subscriptions().all().stream())
        .toList();
  }

  /**
   * Returns the state of the client. If targets and ports of {@code --serve} both watch resources,
   * the list has two views: that of the targets, then that of the ports.
   */
  List<XdsStatusView.Client> status() {
    boolean isShared = scope.isEmpty();
    var targets = view(scope, each -> !isShared || !each.isWatchedOnlyFor(AdsClients.SERVERS));
    var served =
        view(AdsClients.SERVERS, each -> isShared && each.isWatchedFor(AdsClients.SERVERS));
    if (served.resources().isEmpty()) {
      return List.of(targets);
    }
    return targets.resources().isEmpty() ? List.of(served) : List.of(targets, served);
  }

  private XdsStatusView.Client view(String viewScope, Predicate<Subscription<?>> filter) {
    List<XdsStatusView.Resource> resources = new ArrayList<>();
    for (ResourceType<?> type : ResourceType.ALL) {
      everyAuthority()
          .flatMap(authority -> authority.subscriptions().all(type).stream())
          .filter(filter)
          .forEach(subscription -> resources.add(view(subscription)));
    }
    return new XdsStatusView.Client(
        viewScope,
        servers.values().stream().map(StreamSupervisor::status).toList(),
        everyAuthority().map(Authority::status).toList(),
        resources);
  }

  void close() {
    servers.values().forEach(StreamSupervisor::close);
  }

  private Stream<Authority> everyAuthority() {
    return Stream.concat(Stream.of(topLevel), authorities.values().stream());
  }

  private static <T> XdsStatusView.Resource view(Subscription<T> subscription) {
    var entry = subscription.entry();
    return new XdsStatusView.Resource(
        subscription.type().label(),
        subscription.type().typeUrl(),
        subscription.name(),
        entry.state().label(),
        entry.held().map(Held::version).orElse(""),
        entry.held().map(Held::at),
        entry.held().map(Held::raw),
        entry.dataError(),
        entry.streamError(),
        subscription.changes());
  }
}

package io.outrigger.xds.testing;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * An XdsClient whose cache the test fills. As the real one does, it tells a new watcher what is
 * known before {@link #watch} returns, and nothing once a watch is closed. Call it inside the loop.
 */
@ControlConfined
public final class FakeXdsClient implements XdsClient {
  private final Map<Key, Entry> cache = new HashMap<>();
  private final Set<Subscription<?>> subscriptions = new LinkedHashSet<>();
  private final List<String> log = new ArrayList<>();

  private record Key(String label, String name) {}

  private record Entry(Outcome<?> resource, RpcStatus ambient) {}

  private record Subscription<T>(ResourceType<T> type, String name, ResourceWatcher<T> watcher) {
    void changed(Outcome<?> resource) {
      watcher.onChanged(
          resource.match(
              value -> Outcome.ok(type.valueType().cast(value)),
              status -> Outcome.<T>failed(status)));
    }
  }

  @Override
  public <T> Watch watch(ResourceType<T> type, String name, ResourceWatcher<T> watcher) {
    var subscription = new Subscription<>(type, name, watcher);
    subscriptions.add(subscription);
    log.add("watch " + type + " " + name);
    Entry known = cache.get(new Key(type.label(), name));
    if (known != null) {
      subscription.changed(known.resource());
      if (!known.ambient().isOk()) {
        watcher.onAmbientError(known.ambient());
      }
    }
    return () -> {
      if (subscriptions.remove(subscription)) {
        log.add("unwatch " + type + " " + name);
      }
    };
  }

  /** A valid resource arrives. */
  public <T> void set(ResourceType<T> type, String name, T value) {
    deliver(type, name, Outcome.ok(value));
  }

  /** There is no resource, or none any more. */
  public void fail(ResourceType<?> type, String name, RpcStatus status) {
    deliver(type, name, Outcome.failed(status));
  }

  /** An error beside a resource that stays in use; OK clears it. */
  public void ambient(ResourceType<?> type, String name, RpcStatus status) {
    var key = new Key(type.label(), name);
    Entry known = cache.get(key);
    if (known == null || !known.resource().isOk()) {
      throw new IllegalStateException("no resource for an ambient error of " + type + " " + name);
    }
    cache.put(key, new Entry(known.resource(), status));
    subscribers(type, name).forEach(s -> s.watcher().onAmbientError(status));
  }

  /** The names that are watched now. */
  public Set<String> watched(ResourceType<?> type) {
    return subscriptions.stream()
        .filter(s -> s.type().label().equals(type.label()))
        .map(Subscription::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** {@code watch|unwatch TYPE NAME}, in order, since the last call. */
  public List<String> takeLog() {
    List<String> taken = List.copyOf(log);
    log.clear();
    return taken;
  }

  private void deliver(ResourceType<?> type, String name, Outcome<?> resource) {
    cache.put(new Key(type.label(), name), new Entry(resource, RpcStatus.OK));
    subscribers(type, name).forEach(s -> s.changed(resource));
  }

  private List<Subscription<?>> subscribers(ResourceType<?> type, String name) {
    return subscriptions.stream()
        .filter(s -> s.type().label().equals(type.label()) && s.name().equals(name))
        .toList();
  }
}

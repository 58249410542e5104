package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one authority.
 *
 * <p>A resource without watchers is removed by a later task of the control loop. A watch that is
 * closed and opened again by one task keeps the cached resource and causes no request (A57-42).
 */
@ControlConfined
final class Subscriptions {
  private final ControlLoop loop;
  private final Consumer<Subscription<?>> onChanged;
  private final Runnable onSettled;
  private final Map<ResourceType<?>, Map<String, Subscription<?>>> byType = new LinkedHashMap<>();
  private final Map<ResourceType<?>, Set<String>> names = new HashMap<>(); // a cache
  private boolean settling;

  /**
   * @param onChanged called when the entry of a subscription has changed, and when a subscription
   *     without watchers is removed
   * @param onSettled called after subscriptions were added or removed, once for several changes
   */
  Subscriptions(ControlLoop loop, Consumer<Subscription<?>> onChanged, Runnable onSettled) {
    this.loop = loop;
    this.onChanged = onChanged;
    this.onSettled = onSettled;
    ResourceType.ALL.forEach(type -> byType.put(type, new LinkedHashMap<>()));
  }

  <T> XdsClient.Watch watch(
      ResourceType<T> type, String name, String target, ResourceWatcher<T> watcher) {
    Subscription<T> found = of(type).get(name);
    if (found == null) {
      found = new Subscription<>(type, name, onChanged);
      of(type).put(name, found);
      names.remove(type);
      settleLater();
    }
    return found.watch(target, watcher, this::settleLater);
  }

  <T> @Nullable Subscription<T> find(ResourceType<T> type, String name) {
    return of(type).get(name);
  }

  /** Returns a copy, so that watchers may open and close watches during the iteration. */
  <T> List<Subscription<T>> all(ResourceType<T> type) {
    return List.copyOf(of(type).values());
  }

  /** Returns a copy, ordered by type. */
  List<Subscription<?>> all() {
    return byType.values().stream()
        .map(Map::values)
        .<Subscription<?>>flatMap(Collection::stream)
        .toList();
  }

  /** Returns the subscribed names. The result is the same object until a name changes. */
  Set<String> names(ResourceType<?> type) {
    return names.computeIfAbsent(
        type, t -> Collections.unmodifiableSet(new LinkedHashSet<>(of(t).keySet())));
  }

  boolean isEmpty() {
    return byType.values().stream().allMatch(Map::isEmpty);
  }

  private void settleLater() {
    if (settling) {
      return;
    }
    settling = true;
    loop.execute(
        () -> {
          settling = false;
          byType.keySet().forEach(this::removeUnwatched);
          onSettled.run();
        });
  }

  private void removeUnwatched(ResourceType<?> type) {
    boolean removed =
        of(type)
            .values()
            .removeIf(
                subscription -> {
                  if (subscription.isWatched()) {
                    return false;
                  }
                  subscription.stopTimers(); // A57-23
                  onChanged.accept(subscription);
                  return true;
                });
    if (removed) {
      names.remove(type);
    }
  }

  @SuppressWarnings("unchecked") // a subscription is stored under its own type
  private <T> Map<String, Subscription<T>> of(ResourceType<T> type) {
    Map<String, ?> subscriptions = byType.get(type);
    if (subscriptions == null) {
      throw new IllegalArgumentException("not a resource type: " + type);
    }
    return (Map<String, Subscription<T>>) subscriptions;
  }
}

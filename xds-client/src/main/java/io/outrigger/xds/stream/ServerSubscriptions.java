package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.xds.ResourceType;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All subscriptions of the authorities that use one server (A47-08, A71). */
@ControlConfined
final class ServerSubscriptions {
  private final List<Subscriptions> parts = new ArrayList<>();

  void add(Subscriptions part) {
    parts.add(part);
  }

  void remove(Subscriptions part) {
    parts.remove(part);
  }

  boolean isEmpty() {
    return parts.stream().allMatch(Subscriptions::isEmpty);
  }

  <T> @Nullable Subscription<T> find(ResourceType<T> type, String name) {
    for (Subscriptions part : parts) {
      Subscription<T> found = part.find(type, name);
      if (found != null) {
        return found; // a name belongs to one authority
      }
    }
    return null;
  }

  /** Returns a copy, so that watchers may open and close watches during the iteration. */
  <T> List<Subscription<T>> all(ResourceType<T> type) {
    List<Subscription<T>> all = new ArrayList<>();
    parts.forEach(part -> all.addAll(part.all(type)));
    return all;
  }

  /** Returns a copy, ordered by type. */
  List<Subscription<?>> all() {
    List<Subscription<?>> all = new ArrayList<>();
    ResourceType.ALL.forEach(type -> all.addAll(all(type)));
    return all;
  }

  /** Returns all names. With one authority, the result is the same object until a name changes. */
  Set<String> names(ResourceType<?> type) {
    if (parts.size() == 1) {
      return parts.get(0).names(type);
    }
    Set<String> names = new LinkedHashSet<>();
    parts.forEach(part -> names.addAll(part.names(type)));
    return names;
  }
}

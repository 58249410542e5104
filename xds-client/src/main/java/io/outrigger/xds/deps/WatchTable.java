package io.outrigger.xds.deps;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** The watches of resources of one kind, with the state of each watched resource. */
@ControlConfined
public final class WatchTable<K, T> {
  /**
   * The maximum number of clusters of one target, including those below aggregate clusters, and
   * those of the last configuration while it is still in use.
   */
  private static final long MAX = Runtime.getRuntime().maxMemory() / (16 << 10);

  private final BiFunction<K, ResourceWatcher<T>, XdsClient.Watch> source;
  private final Consumer<K> onChange;
  private final Map<K, Entry<T>> entries = new HashMap<>();
  private boolean lacksRoom; // whether the last walk could not watch a resource

  /**
   * @param source a function that starts the watch of a resource
   * @param onChange called with the name of each resource whose state has changed; it may be called
   *     before {@code source} returns
   */
  WatchTable(BiFunction<K, ResourceWatcher<T>, XdsClient.Watch> source, Consumer<K> onChange) {
    this.source = source;
    this.onChange = onChange;
  }

  public static <T> WatchTable<String, T> of(
      XdsClient client, ResourceType<T> type, Consumer<String> onChange) {
    return new WatchTable<>((name, watcher) -> client.watch(type, name, watcher), onChange);
  }

  private static final class Entry<T> implements ResourceWatcher<T> {
    private final Runnable onChange;
    private WatchState<T> known = WatchState.unresolved();
    private Optional<XdsClient.Watch> watch = Optional.empty();
    private boolean isWanted;
    private boolean isInUse;

    Entry(Runnable onChange) {
      this.onChange = onChange;
    }

    @Override
    public void onChanged(Outcome<T> resource) {
      WatchState<T> next = WatchState.of(resource); // clears the ambient error (A88)
      if (known.isUnresolved() || !next.equals(known)) {
        known = next;
        onChange.run();
      }
    }

    @Override
    public void onAmbientError(RpcStatus status) {
      if (!status.equals(known.ambient())) {
        known = new WatchState<>(known.outcome(), status);
        onChange.run();
      }
    }
  }

  /** Returns the state of a resource; unresolved if the resource is not watched. */
  public WatchState<T> get(K name) {
    Entry<T> entry = entries.get(name);
    return entry == null ? WatchState.unresolved() : entry.known;
  }

  public void start(Set<K> names) {
    names.forEach(this::entry);
  }

  private Entry<T> entry(K name) {
    Entry<T> known = entries.get(name);
    if (known != null) {
      return known;
    }
    var entry = new Entry<T>(() -> onChange.accept(name));
    entries.put(name, entry);
    entry.watch = Optional.of(source.apply(name, entry));
    return entry;
  }

  public void retain(Set<K> names) {
    entries.forEach((name, entry) -> entry.isWanted = names.contains(name));
    useWanted();
    retainWanted();
  }

  /** Begins a walk of the graph: marks every resource as not wanted. */
  void beginWalk() {
    entries.values().forEach(entry -> entry.isWanted = false);
    lacksRoom = false;
  }

  /** Returns the state of a resource that a walk needs, and watches it if the heap has room. */
  WatchState<T> want(K name) {
    Entry<T> known = entries.get(name);
    if (known == null && entries.size() >= MAX) {
      lacksRoom = true;
      String reason =
          "the heap has no room for more than %d clusters (or endpoint lists, or hosts) of a"
              + " target; raise the container's memory limit or -Xmx";
      return WatchState.of(Outcome.failed(RpcStatus.unavailable(reason.formatted(MAX))));
    }
    Entry<T> entry = entry(name);
    entry.isWanted = true;
    return entry.known;
  }

  /** Marks as in use exactly the resources that the last walk of the graph requested. */
  void useWanted() {
    entries.values().forEach(entry -> entry.isInUse = entry.isWanted);
  }

  /**
   * Ends the watches of all resources that are neither wanted nor in use.
   *
   * @return whether there is room now for a resource that the last walk could not watch
   */
  boolean retainWanted() {
    int before = entries.size();
    for (Iterator<Entry<T>> all = entries.values().iterator(); all.hasNext(); ) {
      Entry<T> next = all.next();
      if (!next.isWanted && !next.isInUse) {
        all.remove();
        next.watch.ifPresent(XdsClient.Watch::close);
      }
    }
    return lacksRoom && entries.size() < before;
  }
}

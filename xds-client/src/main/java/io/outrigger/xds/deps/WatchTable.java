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
import java.util.function.Consumer;

/** The watches of one resource type, with the state of each watched resource. */
@ControlConfined
public final class WatchTable<T> {
  private final XdsClient client;
  private final ResourceType<T> type;
  private final Consumer<String> onChange;
  private final Map<String, Entry<T>> entries = new HashMap<>();

  /**
   * @param onChange called with the resource name whenever the result of {@link #get} has changed,
   *     possibly from within {@link #start}
   */
  public WatchTable(XdsClient client, ResourceType<T> type, Consumer<String> onChange) {
    this.client = client;
    this.type = type;
    this.onChange = onChange;
  }

  private static final class Entry<T> implements ResourceWatcher<T> {
    private final Runnable onChange;
    private WatchState<T> known = WatchState.nothing();
    private Optional<XdsClient.Watch> watch = Optional.empty();

    Entry(Runnable onChange) {
      this.onChange = onChange;
    }

    @Override
    public void onChanged(Outcome<T> resource) {
      known = WatchState.of(resource); // clears the ambient error (A88 "Watcher API")
      onChange.run();
    }

    @Override
    public void onAmbientError(RpcStatus status) {
      if (!status.equals(known.ambient())) {
        known = known.withAmbient(status);
        onChange.run();
      }
    }
  }

  /**
   * Returns the state of the resource {@code name}, or {@link WatchState#nothing} when the resource
   * is not watched.
   */
  public WatchState<T> get(String name) {
    Entry<T> entry = entries.get(name);
    return entry == null ? WatchState.nothing() : entry.known;
  }

  /** Starts to watch the resources of {@code names} that are not watched yet. */
  public void start(Set<String> names) {
    for (String name : names) {
      if (!entries.containsKey(name)) {
        var entry = new Entry<T>(() -> onChange.accept(name));
        entries.put(name, entry);
        entry.watch = Optional.of(client.watch(type, name, entry));
      }
    }
  }

  /** Ends the watches of names that are in neither set. */
  public void retain(Set<String> names, Set<String> others) {
    for (Iterator<Map.Entry<String, Entry<T>>> all = entries.entrySet().iterator();
        all.hasNext(); ) {
      Map.Entry<String, Entry<T>> next = all.next();
      if (!names.contains(next.getKey()) && !others.contains(next.getKey())) {
        all.remove();
        next.getValue().watch.ifPresent(XdsClient.Watch::close);
      }
    }
  }
}

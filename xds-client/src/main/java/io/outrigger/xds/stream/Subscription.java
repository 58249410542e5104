package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.cache.CacheEntry;
import io.outrigger.xds.cache.CacheEntry.Held;
import io.outrigger.xds.cache.CacheEvent;
import io.outrigger.xds.cache.CacheTransition;
import io.outrigger.xds.cache.CacheTransition.TimerAction;
import io.outrigger.xds.cache.Notice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** One subscribed resource: its cache entry, its watchers, and its running timers. */
@ControlConfined
final class Subscription<T> {
  private final ResourceType<T> type;
  private final String name;
  private final Consumer<Subscription<?>> onChanged;
  private final List<Watching> watchers = new ArrayList<>();
  private CacheEntry<T> entry = CacheEntry.requested();
  private final ResourceHistory history = new ResourceHistory();
  private final Map<ResourceTimers, TimerHandle> timers = new HashMap<>(1);
  private Optional<CacheEvent<T>> deferred = Optional.empty();

  /**
   * @param onChanged called when the state or the resource in use has changed, before watchers are
   *     notified
   */
  Subscription(ResourceType<T> type, String name, Consumer<Subscription<?>> onChanged) {
    this.type = type;
    this.name = name;
    this.onChanged = onChanged;
  }

  ResourceType<T> type() {
    return type;
  }

  String name() {
    return name;
  }

  CacheEntry<T> entry() {
    return entry;
  }

  ResourceHistory history() {
    return history;
  }

  boolean isWatched() {
    return !watchers.isEmpty();
  }

  boolean isWatchedFor(String target) {
    return watchers.stream().anyMatch(watching -> watching.isFor(target));
  }

  boolean isWatchedOnlyFor(String target) {
    return isWatched() && watchers.stream().allMatch(watching -> watching.isFor(target));
  }

  String subject() {
    return type.noun() + " \"" + name + "\"";
  }

  XdsClient.Watch watch(ResourceWatcher<T> watcher, Runnable onUnwatched) {
    var watching = new Watching(watcher, onUnwatched);
    watchers.add(watching);
    if (!watching.mustWait()) {
      entry.replayTo(watcher);
    }
    return watching;
  }

  /**
   * Applies an event, but defers one that takes a stale resource out of use: a control plane that
   * is back may report that a cluster is gone before it has sent the cluster that replaces it.
   */
  void apply(CacheEvent<T> event, ServerFeatures features) {
    if (entry.isStale() && saysAbsent(event)) {
      deferred = Optional.of(event);
      onChanged.accept(this);
    } else {
      applyNow(event, features);
    }
  }

  private static boolean saysAbsent(CacheEvent<?> event) {
    return event instanceof CacheEvent.Deleted
        || (event instanceof CacheEvent.ServerError<?> error && error.isAbsence());
  }

  /** Whether the resource is stale, and the control plane has reported that it does not exist. */
  boolean isAbsent() {
    return entry.isStale() && deferred.isPresent();
  }

  void applyDeferred() {
    if (isAbsent()) {
      deferred.ifPresent(event -> applyNow(event, ServerFeatures.NONE));
    }
  }

  private void applyNow(CacheEvent<T> event, ServerFeatures features) {
    CacheTransition.Step<T> step = CacheTransition.apply(entry, event, features);
    CacheEntry<T> before = entry;
    history.onTransition(before, step.next());
    entry = step.next();
    if (before.state() != entry.state()
        || !before.held().map(Held::raw).equals(entry.held().map(Held::raw))) {
      onChanged.accept(this);
    }
    if (step.timer() == TimerAction.STOP) {
      stopTimers();
    }
    if (step.notice() instanceof Notice.Silence<T>) {
      return;
    }
    // A watcher may open and close watches during this loop. The new watchers have received the new
    // entry already.
    for (Watching watching : List.copyOf(watchers)) {
      watching.deliver(step.notice());
    }
  }

  void timerStarted(ResourceTimers owner, TimerHandle started) {
    stopTimer(owner);
    timers.put(owner, started);
  }

  void stopTimer(ResourceTimers owner) {
    TimerHandle running = timers.remove(owner);
    if (running != null) {
      running.cancel();
    }
  }

  void stopTimers() {
    timers.values().forEach(TimerHandle::cancel);
    timers.clear();
  }

  private final class Watching implements XdsClient.Watch {
    private final ResourceWatcher<T> watcher;
    private final Runnable onUnwatched;

    Watching(ResourceWatcher<T> watcher, Runnable onUnwatched) {
      this.watcher = watcher;
      this.onUnwatched = onUnwatched;
    }

    boolean isFor(String target) {
      return watcher instanceof TargetWatcher<T> of && of.target().equals(target);
    }

    /** Whether the present entry is hidden: a withdrawn permission must not come back. */
    boolean mustWait() {
      return entry.isStale() && isFor(AdsClients.SERVERS);
    }

    void deliver(Notice<T> notice) {
      // A watcher that is not in the list was closed by an earlier watcher.
      if (watchers.contains(this) && !mustWait()) {
        notice.deliverTo(watcher);
      }
    }

    @Override
    public void close() {
      if (watchers.remove(this) && watchers.isEmpty()) {
        onUnwatched.run();
      }
    }
  }
}

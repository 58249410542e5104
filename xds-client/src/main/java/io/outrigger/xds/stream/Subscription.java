package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.base.PlainText;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.overlay.Overlaid;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.cache.CacheEntry;
import io.outrigger.xds.cache.CacheEntry.DataError;
import io.outrigger.xds.cache.CacheEntry.Held;
import io.outrigger.xds.cache.CacheEvent;
import io.outrigger.xds.cache.CacheTransition;
import io.outrigger.xds.status.XdsStatusView;
import io.outrigger.xds.stream.AdsObserver.Response;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A subscribed resource: the cache entry, the watchers and the running timers. */
@ControlConfined
final class Subscription<T> {
  private static final int MAX_CHANGES = 20;

  private static final int MAX_DETAILS = 500; // characters of an error text

  private final ResourceType<T> type;
  private final String name;
  private final Consumer<Subscription<?>> onChanged;
  private final List<Watching> watchers = new ArrayList<>();
  private CacheEntry<T> entry = CacheEntry.requested();
  private final ArrayDeque<XdsStatusView.Change> changes = new ArrayDeque<>(2);
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

  List<XdsStatusView.Change> changes() {
    return List.copyOf(changes);
  }

  boolean isWatched() {
    return !watchers.isEmpty();
  }

  boolean isWatchedFor(String target) {
    return watchers.stream().anyMatch(watching -> watching.target.equals(target));
  }

  boolean isWatchedOnlyFor(String target) {
    return isWatched() && watchers.stream().allMatch(watching -> watching.target.equals(target));
  }

  String subject() {
    return type.subject(name);
  }

  /**
   * @param target the target whose overlay rules apply, or {@link AdsClients#SERVERS}
   */
  XdsClient.Watch watch(String target, ResourceWatcher<T> watcher, Runnable onUnwatched) {
    var watching = new Watching(target, watcher, onUnwatched);
    watchers.add(watching);
    if (!watching.isHidden()) {
      entry.replayTo(watching);
    }
    return watching;
  }

  /** Returns each form of the resource in use that overlay rules produce for a watching target. */
  Stream<Overlaid> overlaid() {
    Set<Overlaid> forms = Collections.newSetFromMap(new IdentityHashMap<>()); // of most, one
    if (entry.held().map(Held::value).orElse(null) instanceof Overlaid resource) {
      watchers.forEach(each -> forms.add(resource.forTarget(each.target)));
    }
    return forms.stream();
  }

  /**
   * Applies an event, but defers the deletion of a stale resource. After an outage, a control plane
   * may report the deletion of a cluster before it sends the replacement.
   */
  void apply(CacheEvent<T> event, ServerFeatures features) {
    if (entry.isStale() && isAbsence(event)) {
      deferred = Optional.of(event);
      onChanged.accept(this);
    } else {
      applyNow(event, features);
    }
  }

  private static boolean isAbsence(CacheEvent<?> event) {
    return event instanceof CacheEvent.Deleted
        || (event instanceof CacheEvent.ServerError<?> error && error.status().isAbsence());
  }

  /** Whether the deletion of the stale resource is deferred. */
  boolean isAbsent() {
    return entry.isStale() && deferred.isPresent();
  }

  void applyDeferred() {
    if (isAbsent()) {
      stopTimers();
      deferred.ifPresent(event -> applyNow(event, ServerFeatures.NONE));
    }
  }

  private void applyNow(CacheEvent<T> event, ServerFeatures features) {
    CacheTransition.Step<T> step = CacheTransition.apply(entry, event, features);
    CacheEntry<T> before = entry;
    entry = step.next();
    boolean isReplaced = !before.held().map(Held::raw).equals(entry.held().map(Held::raw));
    if (isReplaced || !entry.dataError().equals(before.dataError())) {
      recordChange();
    }
    if (isReplaced || before.state() != entry.state()) {
      onChanged.accept(this);
    }
    if (step.stopsTimers()) {
      stopTimers();
    }
    // Iterates over a copy: a watcher may add watchers, which have already received the new entry.
    for (Watching watching : List.copyOf(watchers)) {
      watching.deliver(step);
    }
  }

  private void recordChange() {
    Optional<DataError> error = entry.dataError();
    Optional<String> version =
        error.map(DataError::version).or(() -> entry.held().map(Held::version));
    String details = error.map(DataError::status).map(RpcStatus::message).orElse("");
    var change =
        new XdsStatusView.Change(
            error.map(DataError::at).or(() -> entry.held().map(Held::at)).orElse(Instant.EPOCH),
            entry.state().label(),
            PlainText.shortened(version.orElse(""), Response.MAX_VERSION),
            PlainText.shortened(details, MAX_DETAILS));
    if (error.isPresent() && !changes.isEmpty() && isRepeated(changes.getLast(), change)) {
      return; // repeated rejections would displace other changes
    }
    changes.add(change);
    if (changes.size() > MAX_CHANGES) {
      changes.remove();
    }
  }

  private static boolean isRepeated(XdsStatusView.Change last, XdsStatusView.Change next) {
    return new XdsStatusView.Change(next.at(), last.state(), last.version(), last.details())
        .equals(next);
  }

  void timerStarted(ResourceTimers owner, TimerHandle started) {
    stopTimer(owner);
    timers.put(owner, started);
  }

  /** Whether a timer of the given server waits for the first version of the resource. */
  boolean isTimed(ResourceTimers owner) {
    return entry.held().isEmpty() && timers.containsKey(owner);
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

  private final class Watching implements XdsClient.Watch, ResourceWatcher<T> {
    private final String target;
    private final ResourceWatcher<T> watcher;
    private final Runnable onUnwatched;

    Watching(String target, ResourceWatcher<T> watcher, Runnable onUnwatched) {
      this.target = target;
      this.watcher = watcher;
      this.onUnwatched = onUnwatched;
    }

    /** Ports of {@code --serve} ignore stale resources, which may grant withdrawn permissions. */
    boolean isHidden() {
      return entry.isStale() && target.equals(AdsClients.SERVERS);
    }

    void deliver(CacheTransition.Step<T> step) {
      // When another watcher was notified, it may have closed this watch.
      if (watchers.contains(this) && !isHidden()) {
        step.notifyWatcher(this);
      }
    }

    @Override
    public void onChanged(Outcome<T> resource) {
      if (resource instanceof Outcome.Ok<T> ok && ok.value() instanceof Overlaid overlaid) {
        watcher.onChanged(Outcome.ok(type.valueType().cast(overlaid.forTarget(target))));
      } else {
        watcher.onChanged(resource);
      }
    }

    @Override
    public void onAmbientError(RpcStatus status) {
      watcher.onAmbientError(status);
    }

    @Override
    public void close() {
      if (watchers.remove(this) && watchers.isEmpty()) {
        onUnwatched.run();
      }
    }
  }
}

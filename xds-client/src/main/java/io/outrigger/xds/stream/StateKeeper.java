package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Count;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.cache.CacheEntry.Held;
import io.outrigger.xds.cache.CacheEvent;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.state.StateFolder;
import io.outrigger.xds.state.StateFolder.KeptResource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves the resources in use to a folder. While no control plane answers, the saved resources of an
 * earlier process are used (CONTRACT 16). The keeper does nothing until {@link #start}.
 *
 * <p>Changes of an authority are saved only when the control plane has answered for every requested
 * resource: a saved resource must not refer to a missing resource.
 */
@ControlConfined
final class StateKeeper {
  private static final Duration MIN_INTERVAL = Duration.ofSeconds(1);

  /** How long to wait after a response, because its resources may refer to further resources. */
  private static final Duration SETTLE_TIME = Duration.ofMillis(50);

  private static final Duration RETRY = Duration.ofSeconds(30);

  private static final int RENEWALS = 4; // updates of the saved time within the maximum age

  private static final Logger log = LoggerFactory.getLogger(StateKeeper.class);

  private record Change(KeptAuthority authority, Subscription<?> subscription) {}

  private record Settings(StateFolder folder, Executor files, Duration delay) {}

  private final ControlLoop loop;
  private final ResponseDecoder decoder;
  private final CurrentOverlay overlays;
  private final List<XdsServer> servers;
  private final AdsObserver observer;
  private final Set<KeptAuthority> authorities = new LinkedHashSet<>();
  private final Map<KeptResource.Key, Change> changed = new LinkedHashMap<>();

  /** The STALE resources in use, with the time at which each resource was last current. */
  private final Map<Subscription<?>, Instant> stale = new HashMap<>();

  private final Set<String> answered = new HashSet<>(); // names of authorities
  private Optional<Settings> settings = Optional.empty();
  private StateFolder.Reading reading = StateFolder.Reading.EMPTY;
  private boolean isRead;
  private TimerHandle nextSave = () -> {};
  private TimerHandle renewal = () -> {};
  private boolean isScheduled; // whether a save is scheduled or running
  private boolean isPruned;
  private boolean hasProblem;
  private boolean isStaleReported;
  private long savedNanos;

  /** The time at which the saved resources of each authority were last current. */
  private final Map<String, Instant> times = new HashMap<>();

  StateKeeper(
      ControlLoop loop,
      ResponseDecoder decoder,
      CurrentOverlay overlays,
      List<XdsServer> servers,
      AdsObserver observer) {
    this.loop = loop;
    this.decoder = decoder;
    this.overlays = overlays;
    this.servers = List.copyOf(servers);
    this.observer = observer;
  }

  void start(StateFolder folder, Executor files, Duration delay) {
    settings = Optional.of(new Settings(folder, files, delay));
    savedNanos = loop.nanoTime() - MIN_INTERVAL.toNanos();
    Instant now = loop.now();
    files.execute(
        () -> {
          StateFolder.Reading found = folder.read(now);
          Optional<String> unwritable = folder.open();
          loop.execute(() -> onRead(found, unwritable));
        });
  }

  private void onRead(StateFolder.Reading found, Optional<String> unwritable) {
    if (settings.isEmpty()) {
      return; // closed during the reading
    }
    reading = found;
    isRead = true;
    unwritable.ifPresent(this::warn);
    hasProblem = unwritable.isPresent();
    times.putAll(found.times());
    if (!changed.isEmpty()) {
      saveSoon();
    }
    found.problem().ifPresent(this::warn);
    authorities.forEach(KeptAuthority::restore);
  }

  boolean isOn() {
    return settings.isPresent();
  }

  boolean isRead() {
    return isRead;
  }

  void onAnswered(String authority) {
    answered.add(authority);
  }

  boolean isAnswered(String authority) {
    return answered.contains(authority);
  }

  boolean isKept(KeptAuthority authority, Subscription<?> subscription) {
    return reading.resources().containsKey(key(authority, subscription));
  }

  TimerHandle scheduleRestore(Runnable restore) {
    return loop.schedule(settings.orElseThrow().delay(), restore);
  }

  TimerHandle scheduleSettled(Runnable onSettled) {
    return loop.schedule(SETTLE_TIME, onSettled);
  }

  void setInUse(KeptAuthority authority, boolean inUse) {
    if (inUse) {
      authorities.add(authority);
    } else {
      authorities.remove(authority);
    }
  }

  Optional<String> stale() {
    return stale.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "STALE: %s of %s in use, since no control plane has answered for them"
                .formatted(Count.of(stale.size(), "resource"), oldest()));
  }

  void restore(KeptAuthority authority, List<Subscription<?>> missing) {
    List<Supplier<Runnable>> tasks = new ArrayList<>();
    missing.forEach(each -> task(authority, each).ifPresent(tasks::add));
    if (tasks.isEmpty()) {
      authority.onRestored(missing);
      return;
    }
    overlays.decode(
        tasks,
        () -> {
          authority.onRestored(missing);
          if (!isStaleReported && !stale.isEmpty()) {
            isStaleReported = true;
            report(
                "STALE: no control plane has answered within %d ms; resources of %s are in"
                        .formatted(settings.orElseThrow().delay().toMillis(), oldest())
                    + " use until one does");
          }
        });
  }

  private Instant oldest() {
    return Collections.min(stale.values());
  }

  /** Returns a task that decodes a saved resource; its result is an action that uses the value. */
  private <T> Optional<Supplier<Runnable>> task(
      KeptAuthority authority, Subscription<T> subscription) {
    if (reading.resources().isEmpty()) {
      return Optional.empty();
    }
    StateFolder folder = settings.orElseThrow().folder();
    KeptResource kept = reading.resources().get(key(authority, subscription));
    if (kept == null) {
      warn("the state in %s has no %s".formatted(folder.path(), subscription.subject()));
      return Optional.empty();
    }
    Instant at = reading.times().getOrDefault(authority.name(), Instant.EPOCH);
    Optional<String> unusable = folder.unusableAge(at, loop.now());
    if (unusable.isPresent()) {
      warn(
          "%s of the state in %s %s; it is not used"
              .formatted(subscription.subject(), folder.path(), unusable.get()));
      return Optional.empty();
    }
    Optional<XdsServer> server =
        servers.stream().filter(each -> each.uri().equals(kept.server())).findFirst();
    return server.map(
        origin -> {
          DecodeContext context = overlays.contextOf(origin);
          RawResource raw = kept.resource();
          return () -> {
            Optional<T> value = decoded(subscription, raw, context);
            return () ->
                value.ifPresentOrElse(
                    valid ->
                        putIntoUse(
                            authority,
                            subscription,
                            at,
                            new Held<>(
                                valid, raw, kept.version(), kept.at(), origin, context.overlay())),
                    () ->
                        warn(
                            "%s of the state in %s is no longer valid"
                                .formatted(subscription.subject(), folder.path())));
          };
        });
  }

  /** Returns the decoded value; empty if the resource is invalid or the decoder throws. */
  private <T> Optional<T> decoded(
      Subscription<T> subscription, RawResource raw, DecodeContext context) {
    try {
      return decoder.decode(subscription.type(), raw, context);
    } catch (RuntimeException | StackOverflowError bug) {
      log.error("{} of the state cannot be decoded", subscription.subject(), bug);
      return Optional.empty();
    }
  }

  private <T> void putIntoUse(
      KeptAuthority authority, Subscription<T> subscription, Instant at, Held<T> held) {
    if (settings.isEmpty()
        || authority.isAnswered()
        || !subscription.isWatched()
        || subscription.entry().held().isPresent()) {
      return; // during decoding, a control plane answered, or this or the watches were closed
    }
    stale.put(subscription, at);
    subscription.apply(new CacheEvent.Restored<>(held), ServerFeatures.NONE);
    overlays.onValue(held.value());
    overlays.onApplied(held.overlay());
  }

  void onChanged(KeptAuthority authority, Subscription<?> subscription) {
    if (settings.isEmpty()) {
      return;
    }
    if (subscription.isWatched() && subscription.entry().isStale()) {
      return;
    }
    if (stale.remove(subscription) != null && stale.isEmpty()) {
      isStaleReported = false;
      report("no stale resource is in use any more");
    }
    if (authority.isAnswered()) { // otherwise no control plane has sent this change
      changed.put(key(authority, subscription), new Change(authority, subscription));
      saveSoon();
    }
  }

  private static KeptResource.Key key(KeptAuthority authority, Subscription<?> subscription) {
    return new KeptResource.Key(
        authority.scope(), subscription.type().label(), subscription.name());
  }

  private void saveSoon() {
    if (isScheduled) {
      return;
    }
    isScheduled = true;
    Duration remaining = MIN_INTERVAL.minusNanos(loop.nanoTime() - savedNanos);
    nextSave =
        loop.schedule(
            remaining.compareTo(SETTLE_TIME) < 0 ? SETTLE_TIME : remaining, this::saveChanges);
  }

  private void saveChanges() {
    isScheduled = false;
    if (!isRead()) {
      return; // onRead() will call saveSoon()
    }
    Map<KeptResource.Key, Optional<KeptResource>> ready = new LinkedHashMap<>();
    Map<KeptAuthority, Boolean> settled = new LinkedHashMap<>();
    changed
        .entrySet()
        .removeIf(
            each -> {
              Change change = each.getValue();
              if (!settled.computeIfAbsent(change.authority(), KeptAuthority::isSettled)) {
                return false; // the outstanding answer schedules another save
              }
              ready.put(each.getKey(), kept(each.getKey(), change.subscription()));
              return true;
            });
    if (!ready.isEmpty()) {
      save(ready);
    }
  }

  /** Returns the resource to save; empty if the resource must not be restored after a restart. */
  private <T> Optional<KeptResource> kept(KeptResource.Key key, Subscription<T> subscription) {
    boolean isKept =
        subscription.isWatched()
            && !subscription.isWatchedFor(AdsClients.SERVERS)
            && subscription.entry().dataError().filter(e -> e.status().isAbsence()).isEmpty();
    return subscription
        .entry()
        .held()
        .filter(held -> isKept)
        .map(
            held ->
                new KeptResource(key, held.server().uri(), held.version(), held.at(), held.raw()));
  }

  private void save(Map<KeptResource.Key, Optional<KeptResource>> ready) {
    isScheduled = true;
    savedNanos = loop.nanoTime();
    StateFolder folder = settings.orElseThrow().folder();
    Instant now = loop.now();
    authorities.forEach(each -> times.putIfAbsent(each.name(), now));
    current().forEach(name -> times.put(name, now));
    Map<String, Instant> saved = Map.copyOf(times);
    Optional<Set<KeptResource.Key>> all = prune();
    settings
        .orElseThrow()
        .files()
        .execute(
            () -> {
              ready.forEach(
                  (key, kept) -> kept.ifPresentOrElse(folder::put, () -> folder.remove(key)));
              all.ifPresent(folder::retain);
              Optional<String> problem = folder.save(saved);
              loop.execute(() -> onSaved(problem));
            });
  }

  /** Returns the authorities whose control plane has answered every client, and is reachable. */
  private Set<String> current() {
    Set<String> names = new HashSet<>();
    authorities.forEach(each -> names.add(each.name()));
    authorities.stream()
        .filter(each -> !each.isCurrent())
        .forEach(each -> names.remove(each.name()));
    return names;
  }

  /**
   * Once every authority has answered, returns the keys of all subscriptions; any other resource in
   * the folder is then obsolete.
   */
  private Optional<Set<KeptResource.Key>> prune() {
    if (isPruned || !authorities.stream().allMatch(each -> each.isAnswered() && each.isSettled())) {
      return Optional.empty();
    }
    isPruned = true;
    // A later client must not use resources that the control plane has replaced.
    reading = StateFolder.Reading.EMPTY;
    Set<KeptResource.Key> keys = new HashSet<>();
    authorities.forEach(
        authority -> authority.all().forEach(each -> keys.add(key(authority, each))));
    return Optional.of(keys);
  }

  private void onSaved(Optional<String> problem) {
    if (settings.isEmpty()) {
      return; // closed during the save
    }
    isScheduled = false;
    // Delays the next save by nine times the duration of this save, but by at most RETRY.
    savedNanos += Math.min(9 * (loop.nanoTime() - savedNanos), RETRY.toNanos());
    if (problem.isPresent() && !hasProblem) {
      warn(problem.get());
    } else if (problem.isEmpty() && hasProblem) {
      report("the state is written again");
    }
    hasProblem = problem.isPresent();
    if (!changed.isEmpty()) {
      saveSoon();
    }
    renewal.cancel();
    renewal = loop.schedule(renewalTime(), this::renew);
  }

  private Duration renewalTime() {
    if (hasProblem) {
      return RETRY;
    }
    Duration time = settings.orElseThrow().folder().maxAge().dividedBy(RENEWALS);
    return time.compareTo(MIN_INTERVAL) < 0 ? MIN_INTERVAL : time;
  }

  private void renew() {
    if (!isScheduled && !current().isEmpty()) {
      save(Map.of());
    } else {
      renewal = loop.schedule(renewalTime(), this::renew);
    }
  }

  private void report(String text) {
    log.info("{}", text);
    observer.onStale(text);
  }

  private void warn(String text) {
    log.warn("{}", text);
    observer.onStateProblem(text);
  }

  /** Saves all changes immediately. Must be called while the resources are watched. */
  CompletionStage<Void> finish() {
    if (settings.isEmpty()) {
      return CompletableFuture.completedStage(null);
    }
    nextSave.cancel();
    saveChanges();
    return CompletableFuture.runAsync(() -> {}, settings.orElseThrow().files());
  }

  /** Stops saving, so that watches that are closed later do not change the saved state. */
  void close() {
    settings.ifPresent(each -> each.files().execute(each.folder()::close));
    settings = Optional.empty();
    stale.clear();
    nextSave.cancel();
    renewal.cancel();
    authorities.forEach(KeptAuthority::close);
  }
}

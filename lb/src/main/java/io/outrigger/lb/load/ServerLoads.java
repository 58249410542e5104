package io.outrigger.lb.load;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.load.ClusterLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The counts for one server, by cluster. A cluster without meters is kept until its last counts
 * were reported. While the server accepts no reports, at most {@link #MAX_GONE} such clusters are
 * kept.
 */
@ControlConfined
final class ServerLoads {
  /**
   * The maximum number of unreported clusters without meters; beyond that, the oldest are removed.
   */
  static final int MAX_GONE = 1000;

  /** Identifies the cluster whose counts are added up. */
  record Key(String cluster, String edsServiceName) {}

  private static final class Entry {
    private final List<LoadMeter> meters = new ArrayList<>();
    private final LoadSums sums = new LoadSums();
    private long sinceNanos;

    Entry(long sinceNanos) {
      this.sinceNanos = sinceNanos;
    }

    void look() {
      sums.beginLook();
      meters.forEach(meter -> meter.collect(sums));
      meters.removeIf(LoadMeter::isOver);
    }
  }

  private final ControlLoop control;
  private final Map<Key, Entry> entries = new LinkedHashMap<>();

  /** Keys of {@link #entries} with a meter whose policy is closed. */
  private final Set<Key> ending = new LinkedHashSet<>();

  /** Keys of {@link #entries} without a meter, the oldest first. */
  private final Set<Key> gone = new LinkedHashSet<>();

  ServerLoads(ControlLoop control) {
    this.control = control;
  }

  LoadSums join(Key key, LoadMeter meter) {
    gone.remove(key);
    Entry entry = entries.computeIfAbsent(key, absent -> new Entry(control.nanoTime()));
    entry.meters.add(meter);
    return entry.sums;
  }

  /**
   * Collects the last counts of {@code meter}, which counts for another key or server from now on.
   */
  void leave(Key key, LoadMeter meter) {
    Entry entry = entry(key);
    meter.collect(entry.sums);
    entry.meters.remove(meter);
    noteIfGone(key, entry);
  }

  /** Called when a policy has closed: its counts stay, and its calls continue until they end. */
  void close(Key key) {
    ending.add(key);
    for (Key each : List.copyOf(ending)) { // all keys: calls of other keys may have ended
      Entry entry = entry(each);
      entry.look();
      noteIfGone(each, entry);
    }
  }

  private void noteIfGone(Key key, Entry entry) {
    if (entry.meters.isEmpty()) {
      ending.remove(key);
      gone.add(key);
      if (gone.size() > MAX_GONE) {
        forget(gone.iterator().next());
      }
    }
  }

  List<ClusterLoad> take(Predicate<String> asked) {
    List<ClusterLoad> taken = new ArrayList<>();
    for (Key key : List.copyOf(entries.keySet())) {
      Entry entry = entry(key);
      boolean isAsked = asked.test(key.cluster());
      if (isAsked || ending.contains(key)) {
        entry.look();
      }
      if (isAsked) {
        long now = control.nanoTime();
        taken.add(
            entry.sums.take(
                key.cluster(), key.edsServiceName(), Duration.ofNanos(now - entry.sinceNanos)));
        entry.sinceNanos = now;
      }
      if (entry.meters.isEmpty()) {
        forget(key);
      }
    }
    return taken;
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  private void forget(Key key) {
    entries.remove(key);
    ending.remove(key);
    gone.remove(key);
  }

  private Entry entry(Key key) {
    return Objects.requireNonNull(entries.get(key), () -> "nothing is counted for " + key);
  }
}

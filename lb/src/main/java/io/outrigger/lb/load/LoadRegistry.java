package io.outrigger.lb.load;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.load.ClusterLoad;
import io.outrigger.config.load.LoadSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The counts of the whole process for load reports, by server, cluster and EDS service name. All
 * users of a cluster share its counts, whether they reach the cluster through an aggregate or
 * another listener (A27, A71-09).
 *
 * <p>A cluster without meters is kept until its last counts were reported. While servers accept no
 * reports, at most {@link #MAX_GONE} such clusters are kept.
 */
@ControlConfined
public final class LoadRegistry implements LoadSource {
  /** The maximum number of unreported clusters without meters; beyond that, the oldest go. */
  static final int MAX_GONE = 1000;

  private final ControlLoop control;
  private final Map<Key, Entry> entries = new LinkedHashMap<>();

  /** Keys of {@link #entries} with a meter whose policy is closed. */
  private final Set<Key> ending = new LinkedHashSet<>();

  /** Keys of {@link #entries} without a meter, the oldest first. */
  private final Set<Key> gone = new LinkedHashSet<>();

  private Runnable listener = () -> {};

  /** Identifies the server and the cluster whose counts are added up. */
  private record Key(XdsServer server, String cluster, String edsServiceName) {}

  private static final class Entry {
    private final List<LoadMeter> meters = new ArrayList<>();
    private final LoadSums sums = new LoadSums();
    private long sinceNanos;

    void look() {
      sums.beginLook();
      meters.forEach(meter -> meter.collect(sums));
      meters.removeIf(LoadMeter::isOver);
    }
  }

  /** Creates a registry without counts; any thread may create it. */
  public LoadRegistry(ControlLoop control) {
    this.control = control;
  }

  /**
   * Starts to collect the counts of {@code meter}.
   *
   * @return the sums to which the meter adds counts that will be unavailable at the next collection
   */
  public LoadSums join(XdsServer server, String cluster, String edsServiceName, LoadMeter meter) {
    control.checkInside();
    var key = new Key(server, cluster, edsServiceName);
    boolean isNew = !isCounted(server);
    Entry entry = entries.computeIfAbsent(key, absent -> newEntry());
    entry.meters.add(meter);
    gone.remove(key);
    if (isNew) {
      listener.run();
    }
    return entry.sums;
  }

  private Entry newEntry() {
    var entry = new Entry();
    entry.sinceNanos = control.nanoTime();
    return entry;
  }

  /**
   * Collects the last counts of {@code meter} for {@code server}; the meter counts for another
   * server or cluster from now on, or for none.
   */
  public void leave(XdsServer server, String cluster, String edsServiceName, LoadMeter meter) {
    control.checkInside();
    var key = new Key(server, cluster, edsServiceName);
    Entry entry = entry(key);
    meter.collect(entry.sums);
    entry.meters.remove(meter);
    noteIfGone(key, entry);
  }

  /**
   * Called when a meter of the cluster starts no more calls: its counts stay, and the registry
   * removes the meter once its calls have ended.
   */
  public void onClosed(XdsServer server, String cluster, String edsServiceName) {
    control.checkInside();
    ending.add(new Key(server, cluster, edsServiceName));
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

  private void forget(Key key) {
    entries.remove(key);
    ending.remove(key);
    gone.remove(key);
  }

  @Override
  public Set<XdsServer> servers() {
    control.checkInside();
    return entries.keySet().stream().map(Key::server).collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public void onServersChanged(Runnable changed) {
    control.checkInside();
    listener = changed;
  }

  @Override
  public List<ClusterLoad> take(XdsServer server, Predicate<String> asked) {
    control.checkInside();
    List<ClusterLoad> taken = new ArrayList<>();
    for (Key key : List.copyOf(entries.keySet())) {
      if (!key.server().equals(server)) {
        continue;
      }
      Entry entry = entry(key);
      entry.look();
      if (asked.test(key.cluster())) {
        long now = control.nanoTime();
        Duration interval = Duration.ofNanos(now - entry.sinceNanos);
        taken.add(entry.sums.take(key.cluster(), key.edsServiceName(), interval));
        entry.sinceNanos = now;
      }
      if (entry.meters.isEmpty()) {
        forget(key);
        if (!isCounted(server)) {
          listener.run();
        }
      }
    }
    return taken;
  }

  private boolean isCounted(XdsServer server) {
    return entries.keySet().stream().anyMatch(key -> key.server().equals(server));
  }

  private Entry entry(Key key) {
    return Objects.requireNonNull(
        entries.get(key),
        () -> "nothing is counted for " + key.cluster() + " and " + key.server().uri());
  }
}

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

/**
 * The counts of the process for load reports, by server, cluster and EDS service name. All users of
 * a cluster share its counts, even if the cluster is used through an aggregate or by several
 * listeners (A27, A71-09).
 */
@ControlConfined
public final class LoadRegistry implements LoadSource {
  /** The maximum number of clusters per server that have unreported counts but no meters. */
  static final int MAX_WITHOUT_METER = 1000;

  private record Key(String cluster, String edsServiceName) {}

  private final ControlLoop control;
  private final Map<XdsServer, ServerLoads> servers = new LinkedHashMap<>();
  private Runnable listener = () -> {};

  /** Any thread may call this constructor. */
  public LoadRegistry(ControlLoop control) {
    this.control = control;
  }

  /**
   * Starts to collect the counts of a meter.
   *
   * @return the sums; the meter adds counts to them before it discards a counter
   */
  public LoadSums join(XdsServer server, String cluster, String edsServiceName, LoadMeter meter) {
    control.checkInside();
    boolean isNew = !servers.containsKey(server);
    LoadSums sums =
        servers
            .computeIfAbsent(server, absent -> new ServerLoads())
            .join(new Key(cluster, edsServiceName), meter);
    if (isNew) {
      listener.run();
    }
    return sums;
  }

  /**
   * Collects the last counts that a meter reports to {@code server}. Afterwards the meter reports
   * to another server or to no server.
   */
  public void leave(XdsServer server, String cluster, String edsServiceName, LoadMeter meter) {
    control.checkInside();
    loads(server).leave(new Key(cluster, edsServiceName), meter);
  }

  /**
   * Called when a meter of the cluster counts no more new calls. The registry removes the meter
   * once its last call has ended.
   */
  public void onClosed(XdsServer server, String cluster, String edsServiceName) {
    control.checkInside();
    loads(server).close(new Key(cluster, edsServiceName));
  }

  @Override
  public Set<XdsServer> servers() {
    control.checkInside();
    return Set.copyOf(servers.keySet());
  }

  @Override
  public void onServersChanged(Runnable changed) {
    control.checkInside();
    listener = changed;
  }

  @Override
  public List<ClusterLoad> take(XdsServer server, Predicate<String> wanted) {
    control.checkInside();
    ServerLoads loads = servers.get(server);
    if (loads == null) {
      return List.of();
    }
    List<ClusterLoad> taken = loads.take(wanted);
    if (loads.entries.isEmpty()) {
      servers.remove(server);
      listener.run();
    }
    return taken;
  }

  private ServerLoads loads(XdsServer server) {
    return Objects.requireNonNull(
        servers.get(server), () -> "nothing is counted for " + server.uri());
  }

  /**
   * The counts for one server, by cluster. A cluster without meters is kept until its last counts
   * were reported. At most the latest {@link #MAX_WITHOUT_METER} clusters without meters are kept.
   */
  private final class ServerLoads {
    private final Map<Key, Entry> entries = new LinkedHashMap<>();

    /** Keys of {@link #entries} that have a meter of a closed policy. */
    private final Set<Key> ending = new LinkedHashSet<>();

    /** Keys of {@link #entries} without a meter, the oldest first. */
    private final Set<Key> withoutMeter = new LinkedHashSet<>();

    LoadSums join(Key key, LoadMeter meter) {
      withoutMeter.remove(key);
      Entry entry = entries.computeIfAbsent(key, absent -> new Entry(control.nanoTime()));
      entry.meters.add(meter);
      return entry.sums;
    }

    void leave(Key key, LoadMeter meter) {
      Entry entry = entry(key);
      meter.collect(entry.sums);
      entry.meters.remove(meter);
      onMetersChanged(key, entry);
    }

    void close(Key key) {
      ending.add(key);
      for (Key each : List.copyOf(ending)) { // calls of other keys may also have ended
        Entry entry = entry(each);
        entry.collect();
        onMetersChanged(each, entry);
      }
    }

    private void onMetersChanged(Key key, Entry entry) {
      if (entry.meters.isEmpty()) {
        ending.remove(key);
        withoutMeter.add(key);
        if (withoutMeter.size() > MAX_WITHOUT_METER) {
          remove(withoutMeter.iterator().next());
        }
      }
    }

    List<ClusterLoad> take(Predicate<String> wanted) {
      List<ClusterLoad> taken = new ArrayList<>();
      for (Key key : List.copyOf(entries.keySet())) {
        Entry entry = entry(key);
        boolean isWanted = wanted.test(key.cluster());
        if (isWanted || ending.contains(key)) {
          entry.collect();
        }
        if (isWanted) {
          long now = control.nanoTime();
          taken.add(
              entry.sums.take(
                  key.cluster(), key.edsServiceName(), Duration.ofNanos(now - entry.sinceNanos)));
          entry.sinceNanos = now;
        }
        if (entry.meters.isEmpty()) {
          remove(key);
        }
      }
      return taken;
    }

    private void remove(Key key) {
      entries.remove(key);
      ending.remove(key);
      withoutMeter.remove(key);
    }

    private Entry entry(Key key) {
      return Objects.requireNonNull(entries.get(key), () -> "nothing is counted for " + key);
    }
  }

  private static final class Entry {
    private final List<LoadMeter> meters = new ArrayList<>();
    private final LoadSums sums = new LoadSums();
    private long sinceNanos;

    Entry(long sinceNanos) {
      this.sinceNanos = sinceNanos;
    }

    void collect() {
      sums.resetInProgress();
      meters.forEach(meter -> meter.collect(sums));
      meters.removeIf(LoadMeter::isOver);
    }
  }

  /**
   * Counts the calls of a cluster for one target. Each target that uses the cluster has its own
   * meter.
   */
  @ControlConfined
  public interface LoadMeter {
    /**
     * Adds the counts since the last {@code collect}, and the number of calls in progress, to the
     * sums.
     */
    void collect(LoadSums sums);

    boolean isOver();
  }
}

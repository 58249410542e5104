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
 * The call counts of the process for load reports, by server, cluster and EDS service name. A
 * cluster has one set of counts, even if an aggregate or several listeners use it (A27, A71-09).
 */
@ControlConfined
public final class LoadRegistry implements LoadSource {
  /** The maximum number of clusters with unreported counts but without a {@link LoadMeter}. */
  static final int MAX_WITHOUT_METER = 1000;

  private record Key(String cluster, String edsServiceName) {}

  private final ControlLoop control;
  private final Map<XdsServer, Map<Key, Counts>> servers = new LinkedHashMap<>();

  /** The counts to which a {@link LoadMeter} of a closed policy still adds calls. */
  private final Set<Counts> ending = new LinkedHashSet<>();

  /**
   * The counts to which no {@link LoadMeter} adds calls any more, the oldest first. If there are
   * more than {@link #MAX_WITHOUT_METER}, the oldest counts are discarded unreported.
   */
  private final Set<Counts> withoutMeter = new LinkedHashSet<>();

  private Runnable listener = () -> {};

  /** Any thread may call this constructor. */
  public LoadRegistry(ControlLoop control) {
    this.control = control;
  }

  /** Adds a meter, whose counts are then part of the load reports to the server. */
  public Counts join(XdsServer server, String cluster, String edsServiceName, LoadMeter meter) {
    control.checkInside();
    boolean isNew = !servers.containsKey(server);
    Counts counts =
        servers
            .computeIfAbsent(server, absent -> new LinkedHashMap<>())
            .computeIfAbsent(new Key(cluster, edsServiceName), key -> new Counts(server, key));
    counts.meters.add(meter);
    withoutMeter.remove(counts);
    if (isNew) {
      listener.run();
    }
    return counts;
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
    Map<Key, Counts> all = servers.getOrDefault(server, Map.of());
    List<ClusterLoad> taken = new ArrayList<>();
    for (Counts counts : List.copyOf(all.values())) {
      boolean isWanted = wanted.test(counts.key.cluster());
      if (isWanted || ending.contains(counts)) {
        counts.collect();
      }
      if (isWanted) {
        taken.add(counts.take());
      }
      if (counts.meters.isEmpty()) {
        remove(counts);
      }
    }
    if (all.isEmpty() && servers.remove(server) != null) {
      listener.run();
    }
    return taken;
  }

  private void remove(Counts counts) {
    Objects.requireNonNull(servers.get(counts.server)).remove(counts.key);
    ending.remove(counts);
    withoutMeter.remove(counts);
  }

  /** The call counts of one cluster for load reports to one server. */
  @ControlConfined
  public final class Counts {
    private final XdsServer server;
    private final Key key;
    private final List<LoadMeter> meters = new ArrayList<>();
    private final LoadSums sums = new LoadSums();
    private long sinceNanos = control.nanoTime();

    private Counts(XdsServer server, Key key) {
      this.server = server;
      this.key = key;
    }

    /**
     * Meters add the counts of a subchannel to these sums before its locality or metrics change.
     */
    public LoadSums sums() {
      return sums;
    }

    /** Collects the last counts of a meter, then removes the meter. */
    public void leave(LoadMeter meter) {
      control.checkInside();
      meter.collect(sums);
      meters.remove(meter);
      onMetersChanged();
    }

    /**
     * Called when a meter will count no new calls. The registry removes the meter when the last
     * counted call has ended.
     */
    public void onClosed() {
      control.checkInside();
      ending.add(this);
      for (Counts each : List.copyOf(ending)) { // calls of other clusters may also have ended
        each.collect();
        each.onMetersChanged();
      }
    }

    private void onMetersChanged() {
      if (meters.isEmpty()) {
        ending.remove(this);
        withoutMeter.add(this);
        if (withoutMeter.size() > MAX_WITHOUT_METER) {
          LoadRegistry.this.remove(withoutMeter.iterator().next());
        }
      }
    }

    private void collect() {
      sums.resetInProgress();
      meters.forEach(meter -> meter.collect(sums));
      meters.removeIf(LoadMeter::isOver);
    }

    private ClusterLoad take() {
      long now = control.nanoTime();
      Duration interval = Duration.ofNanos(now - sinceNanos);
      sinceNanos = now;
      return sums.take(key.cluster(), key.edsServiceName(), interval);
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

package io.outrigger.xds.testing;

import io.outrigger.base.Outcome;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.xds.deps.XdsDependencyManager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** Remembers each configuration that was in force, whether it came whole or in parts. */
public final class RecordingConfigs implements XdsDependencyManager.Listener {
  private final List<Outcome<XdsConfig>> published = new ArrayList<>();
  private final List<Map<String, Outcome<ClusterConfig>>> changes = new ArrayList<>();
  private final List<Map<String, Outcome<ClusterConfig>>> held = new ArrayList<>();
  private Consumer<Outcome<XdsConfig>> then = config -> {};

  /** Calls {@code action} with each configuration too. */
  public RecordingConfigs then(Consumer<Outcome<XdsConfig>> action) {
    then = action;
    return this;
  }

  /** Every configuration, oldest first. */
  public List<Outcome<XdsConfig>> published() {
    return published;
  }

  /** The changes that came in parts. */
  public List<Map<String, Outcome<ClusterConfig>>> changes() {
    return changes;
  }

  /** What was told of held clusters while the target failed. */
  public List<Map<String, Outcome<ClusterConfig>>> held() {
    return held;
  }

  /** The configuration in force. */
  public Outcome<XdsConfig> last() {
    if (published.isEmpty()) {
      throw new AssertionError("nothing was published");
    }
    return Objects.requireNonNull(published.get(published.size() - 1));
  }

  @Override
  public void onConfig(Outcome<XdsConfig> config) {
    published.add(config);
    then.accept(config);
  }

  @Override
  public void onClusters(Map<String, Outcome<ClusterConfig>> changed) {
    if (last() instanceof Outcome.Ok<XdsConfig> ok) {
      XdsConfig before = ok.value();
      Map<String, Outcome<ClusterConfig>> clusters = new HashMap<>(before.clusters());
      if (!clusters.keySet().containsAll(changed.keySet())) {
        throw new AssertionError(changed.keySet() + " are no part of the configuration");
      }
      clusters.putAll(changed);
      changes.add(changed);
      onConfig(
          Outcome.ok(
              new XdsConfig(before.listener(), before.routes(), before.virtualHost(), clusters)));
    } else {
      held.add(changed);
    }
  }
}

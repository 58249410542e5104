package io.outrigger.xds.deps;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** Resolves the DNS names of clusters (A37). Clusters with the same name share one resolution. */
@ControlConfined
final class DnsNames implements WatchTable.Source<ClusterSource.Dns, EndpointSet> {
  private final ControlLoop loop;
  private final DnsLookup dns;
  private final RandomSource random;
  private final Set<DnsName> names = new HashSet<>();
  private Duration refresh = Duration.ZERO;

  DnsNames(ControlLoop loop, DnsLookup dns, RandomSource random) {
    this.loop = loop;
    this.dns = dns;
    this.random = random;
  }

  void refresh(Duration interval) {
    refresh = interval;
  }

  @Override
  public XdsClient.Watch watch(ClusterSource.Dns name, ResourceWatcher<EndpointSet> watcher) {
    var watched = new DnsName(loop, dns, random, refresh, name, watcher);
    names.add(watched);
    watched.start();
    return () -> {
      names.remove(watched);
      watched.close();
    };
  }

  /** Resolves every name again, each as soon as its minimum interval has passed (A37-09, A74). */
  void requestReresolution() {
    names.forEach(DnsName::requestReresolution);
  }
}

package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.program.options.ProgramVersion;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import io.outrigger.xds.decode.ResourceDecoder;
import io.outrigger.xds.kubernetes.Kubernetes;
import io.outrigger.xds.local.DnsResources;
import io.outrigger.xds.local.ResourceDirectory;
import io.outrigger.xds.status.XdsStatusView;
import io.outrigger.xds.stream.AdsClients;
import io.outrigger.xds.stream.AdsObserver;
import io.outrigger.xds.transport.GrpcAdsTransport;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Holds the bootstrap and the clients of its control planes. The bootstrap may be unknown when the
 * ports open. {@code status()} is empty until the bootstrap is known.
 */
@AnyThread
final class ControlPlanes {
  private static final Node UNKNOWN_NODE = new Node("", "", new Locality("", "", ""), Map.of());

  /**
   * @param files supplies the static resources; empty when control planes send the resources
   */
  record Known(ConfigSource source, AdsClients clients, Optional<ResourceDirectory> files) {
    Bootstrap bootstrap() {
      return source.bootstrap();
    }
  }

  private volatile @Nullable Known known;

  /**
   * Creates the xDS clients of a process. The clients get resources from the control planes that
   * {@code bootstrap} names, from static files, from DNS and from Kubernetes.
   *
   * @param names lists the DNS names of all {@code dns:///} targets
   * @param kubernetes supplies the endpoints of all {@code k8s:///} targets
   * @param files supplies the static resources; empty when control planes send the resources
   * @throws IllegalArgumentException when a file that the bootstrap names cannot be used
   */
  static AdsClients clients(
      ControlLoop control,
      Executor decoding,
      Bootstrap bootstrap,
      List<ClusterSource.Dns> names,
      Optional<Kubernetes> kubernetes,
      Optional<ResourceDirectory> files,
      AdsObserver observer) {
    return new AdsClients(
        control,
        decoding,
        RandomSource.SYSTEM,
        bootstrap,
        ProgramVersion.text(),
        ResourceDecoder::decode,
        server ->
            server.equals(DnsResources.SERVER)
                ? DnsResources.of(control, names)
                : kubernetes
                    .flatMap(all -> all.transport(server))
                    .or(() -> files.map(ResourceDirectory::transport))
                    .orElseGet(() -> new GrpcAdsTransport(control, server)),
        observer);
  }

  /** Sets the bootstrap and its clients; called once. */
  void set(Known found) {
    known = found;
  }

  Optional<Known> known() {
    return Optional.ofNullable(known);
  }

  Node node() {
    return known().map(Known::bootstrap).map(Bootstrap::node).orElse(UNKNOWN_NODE);
  }

  XdsStatusView status() {
    return known()
        .map(Known::clients)
        .map(AdsClients::status)
        .orElseGet(() -> new XdsStatusView(List.of()));
  }

  /** Returns a warning if stored resources of an earlier process are in use. Control loop only. */
  Optional<String> stale() {
    return known().map(Known::clients).flatMap(AdsClients::stale);
  }
}

package io.outrigger.proxy.app;

import com.google.protobuf.Any;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.LbObserver;
import io.outrigger.lb.tree.CircuitBreakers;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.proxy.filter.HttpFilters;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.ResourceDecoder;
import io.outrigger.xds.deps.XdsDependencyManager;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.stream.AdsClients;
import io.outrigger.xds.stream.AdsObserver;
import io.outrigger.xds.testing.FakeAdsTransport;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * The control half of a sidecar with one target: everything from a response to trees and selector,
 * with a control plane and connections that cost nothing. Decoding is a step of its own.
 */
final class ControlSide {
  static final String NAME = "svc";

  private final FakeControlLoop loop = new FakeControlLoop();
  private final FakeAdsTransport server = new FakeAdsTransport(loop);
  private final Queue<Runnable> decodings = new ArrayDeque<>();
  private final List<EndpointAddress> connected = new ArrayList<>();
  private final AdsClients ads;
  private int version;

  /**
   * Starts the target.
   *
   * @param observer hears each configuration before balancing does
   */
  ControlSide(XdsDependencyManager.Listener observer) {
    ads = clients();
    loop.inside(target(observer)::start);
  }

  private AdsClients clients() {
    var node = new Node("n", "", new Locality("", "", ""), Map.of());
    var cp =
        new XdsServer(
            "cp", new XdsServer.ChannelCredentials.Insecure(), List.of(), ServerFeatures.NONE);
    var bootstrap = new Bootstrap(List.of(cp), node, Map.of(), Map.of(), "%s");
    return new AdsClients(
        loop,
        decodings::add,
        RandomSource.SYSTEM,
        bootstrap,
        "1",
        ResourceDecoder::decode,
        of -> server,
        AdsObserver.all());
  }

  private TargetRuntime target(XdsDependencyManager.Listener observer) {
    return new TargetRuntime(
        loop,
        NAME,
        NAME,
        HttpFilters.ofProcess(),
        false,
        listener ->
            new ClusterManager(
                loop,
                (address, maxConnections, attempt) -> {
                  connected.add(address);
                  loop.execute(() -> attempt.onReady((interval, reports) -> () -> {}));
                  return () -> {};
                },
                RandomSource.SYSTEM,
                new CircuitBreakers(),
                LbObserver.none(),
                2,
                listener),
        listener ->
            Outcome.ok(
                new XdsDependencyManager(
                    loop,
                    ads.of(NAME),
                    (host, port, answer) -> () -> {},
                    NAME,
                    NAME,
                    "n",
                    both(observer, listener))));
  }

  private static XdsDependencyManager.Listener both(
      XdsDependencyManager.Listener first, XdsDependencyManager.Listener second) {
    return new XdsDependencyManager.Listener() {
      @Override
      public void onConfig(Outcome<XdsConfig> config) {
        first.onConfig(config);
        second.onConfig(config);
      }

      @Override
      public void onClusters(Map<String, Outcome<ClusterConfig>> changed) {
        first.onClusters(changed);
        second.onClusters(changed);
      }
    };
  }

  /** The control plane is connected. */
  void ready() {
    server.stream().ready();
  }

  /** A response arrives. */
  void deliver(ResourceType<?> type, List<Any> resources) {
    server.stream().respond(type, "v" + ++version, resources.toArray(Any[]::new));
  }

  /** The decoding thread's turn. */
  void decode() {
    while (!decodings.isEmpty()) {
      decodings.remove().run();
    }
  }

  /** The control loop's turn, to its end. */
  void settle() {
    loop.run();
  }

  /** A response arrives and takes effect. */
  void respond(ResourceType<?> type, List<Any> resources) {
    deliver(type, resources);
    decode();
    settle();
    forget();
  }

  /** Local policy lies over everything from now on. */
  void overlay(Overlay overlay) {
    loop.inside(() -> ads.overlay(overlay, (resource, omission) -> {}));
  }

  /** Drops the requests that were sent. */
  void forget() {
    server.stream().take();
  }

  /** The addresses that were connected to since the last call. */
  List<EndpointAddress> connected() {
    List<EndpointAddress> since = List.copyOf(connected);
    connected.clear();
    return since;
  }
}

package io.outrigger.program.testing.mesh;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.Connector;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.observe.events.EventLog;
import io.outrigger.program.app.TargetReports;
import io.outrigger.program.app.TargetRuntime;
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
import java.util.Optional;
import java.util.Queue;
import java.util.function.Function;

/**
 * The control half of a sidecar with one target: everything from a response to trees and selector,
 * with a control plane and connections that cost nothing. Decoding is a step of its own.
 */
public final class ControlSide {
  public static final String NAME = "svc";

  private final FakeControlLoop loop = new FakeControlLoop();
  private final FakeAdsTransport server = new FakeAdsTransport(loop);
  private final Queue<Runnable> decodings = new ArrayDeque<>();
  private final List<EndpointAddress> connected = new ArrayList<>();
  private final Connector connector;
  private final RandomSource random;
  private final AdsClients ads;
  private final TargetRuntime target;
  private int version;

  /**
   * Starts the target; every connection is made at once.
   *
   * @param observer hears each configuration before balancing does
   */
  public ControlSide(XdsDependencyManager.Listener observer) {
    connector = this::connectAtOnce;
    random = RandomSource.SYSTEM;
    ads = clients(Map.of());
    target = target(observer, false);
    loop.inside(target::start);
  }

  /**
   * Starts the target, which tells of delays in which priority they are (A121).
   *
   * @param connector made for the loop of this control half
   * @param providers by instance name, as the bootstrap has them
   */
  public ControlSide(
      Function<FakeControlLoop, Connector> connector,
      RandomSource random,
      Map<String, CertificateProvider> providers) {
    this.connector = connector.apply(loop);
    this.random = random;
    ads = clients(providers);
    target = target(nobody(), true);
    loop.inside(target::start);
  }

  private Connector.Attempt connectAtOnce(
      EndpointAddress address, int maxConnections, Connector.Listener attempt) {
    connected.add(address);
    loop.execute(() -> attempt.onReady((interval, reports) -> () -> {}));
    return () -> {};
  }

  private AdsClients clients(Map<String, CertificateProvider> providers) {
    var node = new Node("n", "", new Locality("", "", ""), Map.of());
    var cp =
        new XdsServer(
            "cp", new XdsServer.ChannelCredentials.Insecure(), List.of(), ServerFeatures.NONE);
    var bootstrap = new Bootstrap(List.of(cp), node, Map.of(), providers, "%s", Optional.empty());
    return new AdsClients(
        loop,
        decodings::add,
        random,
        bootstrap,
        "1",
        ResourceDecoder::decode,
        of -> server,
        AdsObserver.NONE);
  }

  private TargetRuntime target(XdsDependencyManager.Listener observer, boolean namesPriorities) {
    return new TargetRuntime(
        loop,
        NAME,
        NAME,
        HttpFilters.ofProcess(),
        false,
        new TargetReports(new EventLog(loop), NAME, NAME, false),
        listener ->
            new ClusterManager(
                new LbContext(loop, random, event -> {}, 2, namesPriorities),
                connector,
                new CircuitBreakers(),
                new LoadRegistry(loop),
                false,
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
                    both(observer, listener),
                    RandomSource.SYSTEM)));
  }

  private static XdsDependencyManager.Listener nobody() {
    return new XdsDependencyManager.Listener() {
      @Override
      public void onConfig(Outcome<XdsConfig> config) {}

      @Override
      public void onClusters(Map<String, Outcome<ClusterConfig>> changed) {}
    };
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
  public void ready() {
    server.stream().ready();
  }

  /** The clock and the executor of everything. */
  public FakeControlLoop loop() {
    return loop;
  }

  /** The target as calls see it. */
  public ForwardTarget target() {
    return target;
  }

  /** A response arrives and takes effect; its nonce is made here. */
  public void respond(DiscoveryResponse.Builder response) {
    server.stream().respond(response);
    decode();
    settle();
  }

  /** The requests that were sent since the last call. */
  public List<DiscoveryRequest> requests() {
    return server.stream().take();
  }

  /** A response arrives. */
  public void deliver(ResourceType<?> type, List<Any> resources) {
    server.stream().respond(type, "v" + ++version, resources.toArray(Any[]::new));
  }

  /** The decoding thread's turn. */
  public void decode() {
    while (!decodings.isEmpty()) {
      decodings.remove().run();
    }
  }

  /** The control loop's turn, to its end. */
  public void settle() {
    loop.run();
  }

  /** A response arrives and takes effect. */
  public void respond(ResourceType<?> type, List<Any> resources) {
    deliver(type, resources);
    decode();
    settle();
    forget();
  }

  /** Local policy lies over everything from now on. */
  public void overlay(Overlay overlay) {
    loop.inside(() -> ads.overlay(overlay, (resource, omission) -> {}));
  }

  /** Drops the requests that were sent. */
  public void forget() {
    server.stream().take();
  }

  /** The addresses that were connected to since the last call. */
  public List<EndpointAddress> connected() {
    List<EndpointAddress> since = List.copyOf(connected);
    connected.clear();
    return since;
  }
}

package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.load.LoadSource;
import io.outrigger.config.overlay.Overlaid;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.WireNode;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.report.LoadReporters;
import io.outrigger.xds.report.LrsTransport;
import io.outrigger.xds.state.StateFolder;
import io.outrigger.xds.status.OverlayStatus;
import io.outrigger.xds.status.XdsStatusView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The xDS clients of a process. All clients share one channel to each control plane.
 *
 * <p>If no list of servers in the bootstrap has a fallback server, all targets share one client.
 * The targets share one stream to each server and one copy of each resource (A57-37). With a
 * fallback server, each target has its own client: a target that falls back must not move other
 * targets to the fallback server (A71-07). Targets without a control plane, such as {@code dns:///}
 * targets, get their resources from this process through a separate client.
 */
@ControlConfined
public final class AdsClients {
  private static final String ALL_TARGETS = "";

  /** The scope of the client of {@link #ofServers} in status views (A71, A78). */
  static final String SERVERS = "#server";

  private final ControlLoop loop;
  private final Executor decoding;
  private final RandomSource random;
  private final Bootstrap bootstrap;
  private final WireNode node;
  private final ResponseDecoder decoder;
  private final Function<XdsServer, AdsTransport> connector;
  private final AdsObserver observer;
  private final Map<XdsServer, AdsTransport> transports = new LinkedHashMap<>();
  private final Map<String, TargetClient> clients = new LinkedHashMap<>();
  private final CurrentOverlay overlays;
  private final StateKeeper keeper;
  private final StateKeeper disabledKeeper; // for servers of this process; never started
  private @Nullable LoadReporters reporters;
  private boolean closed;

  /**
   * The constructor may be called on any thread. Other methods must be called on the control loop,
   * unless their javadoc says otherwise.
   *
   * @param decoding the executor that runs the decoder, one response at a time, in the order of
   *     arrival
   * @param version the version of this program, sent to the control plane
   * @param decoder the decoder of responses, such as {@code ResourceDecoder::decode}
   * @param connector a function that makes the transport to a server, called once per server; the
   *     constructor rethrows its exceptions
   * @param observer receives events in addition to the log
   */
  public AdsClients(
      ControlLoop loop,
      Executor decoding,
      RandomSource random,
      Bootstrap bootstrap,
      String version,
      ResponseDecoder decoder,
      Function<XdsServer, AdsTransport> connector,
      AdsObserver observer) {
    this.loop = loop;
    this.decoding = decoding;
    this.random = random;
    this.bootstrap = bootstrap;
    this.node = WireNode.of(bootstrap.node(), version);
    this.decoder = decoder;
    this.connector = connector;
    this.observer = observer;
    this.overlays =
        new CurrentOverlay(loop, decoding, decoder, this::contextOf, this::subscriptions);
    this.keeper = new StateKeeper(loop, decoder, overlays, bootstrap.allServers(), observer);
    this.disabledKeeper = new StateKeeper(loop, decoder, overlays, List.of(), observer);
    serverLists(bootstrap)
        .flatMap(List::stream)
        .forEach(server -> transports.computeIfAbsent(server, connector));
    if (isShared() && !bootstrap.servers().isEmpty()) {
      clients.put(ALL_TARGETS, newClient(ALL_TARGETS, bootstrap, keeper));
    }
  }

  /** Begins to connect to the preferred control plane of a listener, before the first watch. */
  public void connect(String listener) {
    loop.checkInside();
    ResourceName.of(ResourceType.LISTENER, listener).toOptional().stream()
        .flatMap(name -> bootstrap.serversOf(name.authority()).stream().limit(1))
        .forEach(server -> transport(server).connect());
  }

  /**
   * Returns the client of one target; may be called on any thread.
   *
   * @param target the target as configured, such as {@code xds:///orders}
   */
  public XdsClient of(String target) {
    return of(target, isShared() ? ALL_TARGETS : target, bootstrap, keeper);
  }

  /**
   * Returns the client for all addresses at which this process serves; may be called on any thread.
   * The addresses use the stream that all targets share. If each target has its own stream (A71),
   * the addresses share one further stream.
   */
  public XdsClient ofServers() {
    return of(SERVERS, isShared() ? ALL_TARGETS : SERVERS, bootstrap, keeper);
  }

  /**
   * Returns the client of a target without a control plane; may be called on any thread. All
   * targets of one {@code server} share a client.
   *
   * @param server the source in this process that takes the place of a control plane
   */
  public XdsClient of(String target, XdsServer server) {
    return of(target, server.uri(), bootstrap.servedBy(server), disabledKeeper);
  }

  private XdsClient of(String target, String scope, Bootstrap servers, StateKeeper scopeKeeper) {
    return new XdsClient() {
      @Override
      public <T> Watch watch(ResourceType<T> type, String name, ResourceWatcher<T> watcher) {
        loop.checkInside();
        overlays.use(target);
        Watch watch =
            clients
                .computeIfAbsent(scope, absent -> newClient(absent, servers, scopeKeeper))
                .watch(type, name, target, watcher);
        var open = new AtomicBoolean(true);
        return () -> {
          if (open.getAndSet(false)) {
            watch.close();
            overlays.release(target);
            closeLater(scope);
          }
        };
      }
    };
  }

  /**
   * Applies an overlay to the resources in use and to later resources. The overlay takes effect
   * when the decoding thread has decoded the affected resources again.
   *
   * @param listener receives each overlay rule that cannot be applied, with the name of a cluster
   *     or the path {@code configuration/virtual host/route}
   */
  public void overlay(Overlay overlay, BiConsumer<String, OverlayEffect.Omission> listener) {
    loop.checkInside();
    overlays.change(overlay, listener);
  }

  public List<OverlayStatus.Rule> overlayRules() {
    loop.checkInside();
    return OverlayStatus.rules(overlays.overlay(), overlaid());
  }

  public Map<String, OverlayEffect> overlaidClusters() {
    loop.checkInside();
    Map<String, OverlayEffect> effects = new HashMap<>();
    overlaid()
        .filter(ClusterResource.class::isInstance)
        .forEach(cluster -> cluster.visitEffects(effects::put));
    return effects;
  }

  private Stream<Overlaid> overlaid() {
    return subscriptions().stream().flatMap(Subscription::overlaid);
  }

  /**
   * Saves acknowledged resources to a folder. While no control plane answers, the clients use the
   * resources that an earlier process saved in the folder. Must be called before the first watch.
   *
   * @param files the executor that reads and writes the folder
   * @param stateAfter the time without a response after which the saved resources are used
   */
  public void keepState(StateFolder folder, Executor files, Duration stateAfter) {
    loop.checkInside();
    keeper.start(folder, files, stateAfter);
  }

  /**
   * Saves the last changes of the resources in use. Callers must call this method before they close
   * their watches.
   */
  public CompletionStage<Void> finishState() {
    loop.checkInside();
    return keeper.finish();
  }

  public Optional<String> stale() {
    loop.checkInside();
    return keeper.stale();
  }

  public XdsStatusView status() {
    loop.checkInside();
    return new XdsStatusView(
        clients.values().stream().flatMap(client -> client.status().stream()).toList());
  }

  /**
   * Starts to report the load that a load source counts. A server receives reports if the server
   * sent a cluster with an {@code lrs_server} (A27, A71-09).
   */
  public void reportLoad(LoadSource source) {
    loop.checkInside();
    if (reporters != null) {
      throw new IllegalStateException("load is reported already");
    }
    reporters = new LoadReporters(loop, random, node, this::loadReports, source);
  }

  private LrsTransport loadReports(XdsServer server) {
    return transport(server)
        .loadReports()
        .orElseThrow(() -> new IllegalStateException(server.uri() + " takes no load reports"));
  }

  public void close() {
    loop.checkInside();
    closed = true;
    keeper.close();
    clients.values().forEach(TargetClient::close);
    if (reporters != null) {
      reporters.close();
    }
    transports.values().forEach(AdsTransport::close);
  }

  private boolean isShared() {
    return serverLists(bootstrap).allMatch(servers -> servers.size() <= 1);
  }

  private static Stream<List<XdsServer>> serverLists(Bootstrap bootstrap) {
    return Stream.concat(
        Stream.of(bootstrap.servers()),
        bootstrap.authorities().values().stream().map(Bootstrap.Authority::servers));
  }

  private TargetClient newClient(String scope, Bootstrap servers, StateKeeper scopeKeeper) {
    return new TargetClient(loop, scope, servers, this::newSupervisor, scopeKeeper);
  }

  private DecodeContext contextOf(XdsServer server) {
    return new DecodeContext(
        server.features(),
        bootstrap.certificateProviders(),
        transport(server).loadReports().map(reports -> server),
        !bootstrap.allServers().contains(server));
  }

  private Collection<Subscription<?>> subscriptions() {
    List<Subscription<?>> all = new ArrayList<>();
    clients.values().forEach(client -> all.addAll(client.subscriptions()));
    return all;
  }

  private StreamSupervisor newSupervisor(XdsServer server) {
    return new StreamSupervisor(
        loop,
        decoding,
        random,
        server,
        transport(server),
        node,
        new IncrementalDecoder(decoder),
        overlays,
        observer);
  }

  private AdsTransport transport(XdsServer server) {
    return transports.computeIfAbsent(server, connector); // present for servers of the bootstrap
  }

  /** Closes an unused client later, because a closed watch may be opened again soon. */
  private void closeLater(String scope) {
    if (!scope.equals(ALL_TARGETS)) {
      loop.execute(() -> loop.execute(() -> closeUnused(scope)));
    }
  }

  private void closeUnused(String scope) {
    TargetClient client = clients.get(scope);
    if (!closed && client != null && !client.isInUse()) {
      clients.remove(scope);
      client.close();
    }
  }
}

package io.outrigger.xds.stream;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.status.XdsStatusView;
import io.outrigger.xds.testing.FakeAdsTransport;
import io.outrigger.xds.testing.RecordingWatcher;
import io.outrigger.xds.testing.TextResources;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** Several control planes without a network, and a clock that stands still. */
final class FleetFixture implements AdsObserver {
  static final String TARGET = "xds:///orders";
  static final RpcStatus REFUSED = RpcStatus.unavailable("connection refused");

  final FakeControlLoop loop = new FakeControlLoop();
  final Map<XdsServer, FakeAdsTransport> transports = new HashMap<>();
  final List<String> observed = new ArrayList<>();
  private final Deque<Runnable> decodings = new ArrayDeque<>();
  private boolean holdsDecoding;
  final AdsClients clients;

  /** Top-level servers by URI, in order of preference. */
  FleetFixture(String... uris) {
    this(servers(uris), Map.of());
  }

  FleetFixture(List<XdsServer> servers, Map<String, Bootstrap.Authority> authorities) {
    this(servers, authorities, new TextResources());
  }

  FleetFixture(
      List<XdsServer> servers,
      Map<String, Bootstrap.Authority> authorities,
      ResponseDecoder decoder) {
    var node = new Node("id", "", new Locality("", "", ""), Map.of());
    clients =
        new AdsClients(
            loop,
            task -> {
              if (holdsDecoding) {
                decodings.add(task);
              } else {
                task.run();
              }
            },
            (bound, purpose) -> bound / 2, // no jitter
            new Bootstrap(servers, node, authorities, Map.of(), "%s", Optional.empty()),
            "1",
            decoder,
            server ->
                Objects.requireNonNull(
                    transports.merge(
                        server,
                        new FakeAdsTransport(loop, server.uri()).takingLoadReports(),
                        (a, b) -> {
                          throw new AssertionError("a second channel to " + server.uri());
                        })),
            this);
  }

  /** From now on responses are decoded when {@link #decode} says so. */
  void holdDecoding() {
    holdsDecoding = true;
  }

  /** Decodes what waits, elsewhere, and lets the loop go on. */
  void decode() {
    while (!decodings.isEmpty()) {
      decodings.remove().run();
    }
    loop.run();
  }

  static List<XdsServer> servers(String... uris) {
    return Stream.of(uris).map(uri -> server(uri, ServerFeatures.NONE)).toList();
  }

  static XdsServer server(String uri, ServerFeatures features) {
    return new XdsServer(uri, new XdsServer.ChannelCredentials.Insecure(), List.of(), features);
  }

  static Bootstrap.Authority authority(List<XdsServer> servers) {
    return new Bootstrap.Authority(servers, Optional.empty(), false);
  }

  FakeAdsTransport at(String uri) {
    return transports.entrySet().stream()
        .filter(entry -> entry.getKey().uri().equals(uri))
        .findFirst()
        .orElseThrow()
        .getValue();
  }

  /** The names last asked of a server for a type, by the newest stream. */
  List<String> asked(String uri, ResourceType<?> type) {
    return at(uri).stream().take().stream()
        .filter(request -> request.getTypeUrl().equals(type.typeUrl()))
        .reduce((first, second) -> second)
        .map(request -> List.copyOf(request.getResourceNamesList()))
        .orElse(List.of());
  }

  /** The newest stream to a server ends without a response. */
  void fail(String uri) {
    at(uri).stream().closeWith(REFUSED);
  }

  <T> XdsClient.Watch watch(
      String target, ResourceType<T> type, String name, RecordingWatcher<T> watcher) {
    var watch = new AtomicReference<XdsClient.Watch>();
    loop.inside(() -> watch.set(clients.of(target).watch(type, name, watcher)));
    return Objects.requireNonNull(watch.get());
  }

  <T> RecordingWatcher<T> watch(String target, ResourceType<T> type, String name) {
    var watcher = new RecordingWatcher<T>();
    var unused = watch(target, type, name, watcher);
    return watcher;
  }

  <T> RecordingWatcher<T> watch(ResourceType<T> type, String name) {
    return watch(TARGET, type, name);
  }

  @Override
  public void onConnected(String server) {}

  @Override
  public void onFailed(String server, RpcStatus reason) {}

  @Override
  public void onClosed(String server, RpcStatus reason) {}

  @Override
  public void onAck(String server, Response response) {}

  @Override
  public void onNack(String server, Response response, String details) {}

  @Override
  public void onResourceErrors(
      String server, ResourceType<?> type, List<String> names, RpcStatus status) {}

  @Override
  public void onDeleted(String server, ResourceType<?> type, List<String> names, boolean kept) {
    observed.add("deleted " + server + " " + names + (kept ? " kept" : " dropped"));
  }

  @Override
  public void onStateProblem(String text) {
    observed.add("state problem " + text);
  }

  XdsStatusView status() {
    var status = new AtomicReference<XdsStatusView>();
    loop.inside(() -> status.set(clients.status()));
    return Objects.requireNonNull(status.get());
  }
}

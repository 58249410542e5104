package io.outrigger.xds.stream;

import io.outrigger.base.RandomSource;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** A client, a control plane without a network, and a clock that stands still. */
final class AdsFixture implements AdsObserver {
  static final RpcStatus REFUSED = RpcStatus.unavailable("connection refused");

  final FakeControlLoop loop = new FakeControlLoop();
  final FakeAdsTransport transport = new FakeAdsTransport(loop);
  final TextResources decoder = new TextResources();
  final List<String> observed = new ArrayList<>();
  private final Deque<Runnable> decodings = new ArrayDeque<>();
  private boolean holdsDecoding;
  final AdsClients clients;
  final XdsClient client;

  AdsFixture() {
    this(ServerFeatures.NONE);
  }

  AdsFixture(ServerFeatures features) {
    this(features, (bound, purpose) -> bound / 2); // no jitter
  }

  AdsFixture(ServerFeatures features, RandomSource random) {
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
            random,
            bootstrap(features),
            "1.2.3",
            decoder,
            server -> transport,
            this);
    client = clients.of("xds:///target");
  }

  static Bootstrap bootstrap(ServerFeatures features) {
    return bootstrap("cp.test:443", features);
  }

  static Bootstrap bootstrap(String uri, ServerFeatures features) {
    return new Bootstrap(
        List.of(
            new XdsServer(uri, new XdsServer.ChannelCredentials.Insecure(), List.of(), features)),
        new Node(
            "id", "cluster", new Locality("r", "z", "s"), Map.of("n", 1.0, "k", List.of(true))),
        Map.of(),
        Map.of(),
        "%s",
        Optional.empty());
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

  /** Watches in a turn of its own. */
  <T> XdsClient.Watch watch(ResourceType<T> type, String name, RecordingWatcher<T> watcher) {
    var watch = new AtomicReference<XdsClient.Watch>();
    loop.inside(() -> watch.set(client.watch(type, name, watcher)));
    return Objects.requireNonNull(watch.get());
  }

  <T> RecordingWatcher<T> watch(ResourceType<T> type, String name) {
    var watcher = new RecordingWatcher<T>();
    var unused = watch(type, name, watcher);
    return watcher;
  }

  FakeAdsTransport.Stream stream() {
    return transport.stream();
  }

  XdsStatusView status() {
    var status = new AtomicReference<XdsStatusView>();
    loop.inside(() -> status.set(clients.status()));
    return Objects.requireNonNull(status.get());
  }

  @Override
  public void onConnected(String server) {
    observed.add("connected " + server);
  }

  @Override
  public void onFailed(String server, RpcStatus reason) {
    observed.add("failed " + server + " " + reason);
  }

  @Override
  public void onClosed(String server, RpcStatus reason) {
    observed.add("closed " + server + " " + reason);
  }

  @Override
  public void onStale(String text) {
    observed.add("stale " + text);
  }

  @Override
  public void onStateProblem(String text) {
    observed.add("state problem " + text);
  }

  @Override
  public void onAck(String server, Response response) {
    observed.add("ack " + response.type() + " " + response.version());
  }

  @Override
  public void onNack(String server, Response response, String details) {
    observed.add("nack " + response.type() + " " + response.version() + " " + details);
  }

  @Override
  public void onResourceErrors(
      String server, ResourceType<?> type, List<String> names, RpcStatus status) {
    observed.add("resource error " + type + " " + names + " " + status);
  }

  @Override
  public void onDeleted(String server, ResourceType<?> type, List<String> names, boolean kept) {
    observed.add("deleted " + type + " " + names + (kept ? " kept" : " dropped"));
  }
}

package io.outrigger.abuse;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import io.outrigger.base.WaitingClock;
import io.outrigger.http2.testing.Frames;
import io.outrigger.program.testing.OutriggerProcess;
import io.outrigger.testing.RefusingPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The real program at its real limits, with four ports, of {@code --forward} or {@code --serve}:
 * {@code neighbour} and {@code served} lead to a backend that serves, {@code hostile} to one that
 * does what an attack likes, {@code down} to a port that refuses. A neighbour calls {@code
 * neighbour} all the while; another one calls the same backend past the sidecar, to know what the
 * machine alone costs.
 */
final class AttackedSidecar implements AutoCloseable {
  enum Forward {
    NEIGHBOUR,
    SERVED,
    HOSTILE,
    DOWN;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final Duration WARM_UP = Duration.ofMillis(1500);
  private static final Duration CALM = Duration.ofSeconds(2);
  private static final Duration IS_CALM = Duration.ofMillis(50);
  private static final int MAX_STRETCHES = 8;
  private static final Peer.Listener ANSWERS_NOTHING = (peer, frame) -> {};

  /** As many streams as come, and a wide window of the connection. */
  private static final byte[] HELLO =
      Frames.join(Frames.settings(), Frames.windowUpdate(0, 1 << 30));

  private final List<AutoCloseable> closed = new ArrayList<>();
  private final ServingBackend backend = keep(new ServingBackend());
  final Peers attackers = keep(new Peers());
  final OutriggerProcess process;
  final Neighbour neighbour;

  /** The same calls past the sidecar. */
  final Neighbour bypass;

  final Watcher watcher;

  /** The neighbour's calls while nobody attacked. */
  final Calls calm;

  final Entrance entrance;
  final Optional<HostileControlPlane> controlPlane;
  private final Map<Forward, InetSocketAddress> addresses = new EnumMap<>(Forward.class);
  private final double memoryMib;
  private final Queue<Peer> backends = new ConcurrentLinkedQueue<>();
  private volatile Peer.Listener hostility = ANSWERS_NOTHING;

  /**
   * @param folder where it runs, empty
   * @param memory that of the container, such as {@code 256m}
   */
  AttackedSidecar(Path folder, String memory, int threads, Entrance entrance) throws IOException {
    this.entrance = entrance;
    controlPlane =
        entrance == Entrance.CONTROLLED
            ? Optional.of(keep(new HostileControlPlane()))
            : Optional.empty();
    memoryMib = mib(memory);
    int hostile = port(attackers.listen(this::onAccept));
    // The port of a served address opens when its app has been reached once.
    Channel beforeDown = attackers.listen(peer -> peer.send(HELLO));
    Map<Forward, Integer> backends =
        Map.of(
            Forward.NEIGHBOUR, backend.port(),
            Forward.SERVED, backend.port(),
            Forward.HOSTILE, hostile,
            Forward.DOWN, port(beforeDown));
    List<String> arguments = new ArrayList<>(List.of("run"));
    arguments.addAll(
        switch (entrance) {
          case FORWARD -> forwarded(folder, backends);
          case CONTROLLED -> controlled(folder, backends);
          case SERVE, SERVE_TLS -> served(folder, backends);
        });
    arguments.addAll(List.of("--admin", "127.0.0.1:0", "--threads", Integer.toString(threads)));
    process =
        keep(
            OutriggerProcess.start(
                List.of(Installation.launcher(folder.resolve("installed")).toString()),
                folder,
                Map.of("OUTRIGGER_JAVA_OPTS", "-XX:MaxRAM=" + memory),
                arguments.toArray(String[]::new)));
    process.awaitReady(200);
    beforeDown.close().syncUninterruptibly();
    attackers.closeAll(Peer::close);
    keep(RefusingPort.at(port(beforeDown)));
    Optional<SslContext> tls =
        entrance == Entrance.SERVE_TLS ? Optional.of(MeshTls.caller()) : Optional.empty();
    for (Forward forward : Forward.values()) {
      addresses.computeIfAbsent(forward, any -> loopback(process.port(forward.text())));
      tls.ifPresent(context -> attackers.secure(address(forward), context));
    }
    watcher = keep(new Watcher(process.pid(), process.adminAddress()));
    neighbour = keep(new Neighbour("neighbour", address(Forward.NEIGHBOUR), tls));
    bypass = keep(new Neighbour("bypass", loopback(backend.port()), Optional.empty()));
    WaitingClock.sleep(WARM_UP);
    calm = calm();
  }

  private static List<String> forwarded(Path folder, Map<Forward, Integer> backends)
      throws IOException {
    var resources = new StringBuilder("resources:\n");
    backends.forEach((forward, port) -> resources.append(StaticService.yaml(forward.text(), port)));
    Files.writeString(folder.resolve("mesh.yaml"), resources);
    return forwards("--resources", "mesh.yaml");
  }

  private List<String> controlled(Path folder, Map<Forward, Integer> backends) throws IOException {
    HostileControlPlane plane = controlPlane.orElseThrow();
    backends.forEach((forward, port) -> plane.serve(forward.text(), port));
    Files.writeString(folder.resolve("bootstrap.json"), plane.bootstrap());
    return forwards("--bootstrap", "bootstrap.json");
  }

  private static List<String> forwards(String... before) {
    List<String> flags = new ArrayList<>(List.of(before));
    for (Forward forward : Forward.values()) {
      flags.add("--forward");
      flags.add("%1$s@127.0.0.1:0=xds:///%1$s".formatted(forward.text()));
    }
    return flags;
  }

  private List<String> served(Path folder, Map<Forward, Integer> apps) throws IOException {
    var resources = new StringBuilder("resources:\n");
    List<String> flags =
        new ArrayList<>(List.of("--resources", "mesh.yaml", "--bootstrap", "bootstrap.json"));
    apps.forEach(
        (forward, app) -> {
          int port = keep(RefusingPort.any()).number();
          addresses.put(forward, loopback(port));
          resources.append(StaticService.served(port, entrance == Entrance.SERVE_TLS));
          flags.add("--serve");
          flags.add("%s@127.0.0.1:%d=127.0.0.1:%d".formatted(forward.text(), port, app));
        });
    Files.writeString(folder.resolve("mesh.yaml"), resources);
    MeshTls.write(folder);
    return flags;
  }

  /** The calmest of some stretches: a machine has other things to do, and a program warms up. */
  private Calls calm() {
    Calls calmest = stretch();
    for (int i = 1; i < MAX_STRETCHES && calmest.quantile(0.99).compareTo(IS_CALM) > 0; i++) {
      Calls next = stretch();
      if (next.quantile(0.99).compareTo(calmest.quantile(0.99)) < 0) {
        calmest = next;
      }
    }
    return calmest;
  }

  private Calls stretch() {
    Calls calls = neighbour.measure();
    WaitingClock.sleep(CALM);
    neighbour.measure();
    WaitingClock.sleep(IS_CALM); // for the answers that are under way
    calls.settle();
    return calls;
  }

  private static double mib(String memory) {
    double number = Double.parseDouble(memory.substring(0, memory.length() - 1));
    return memory.endsWith("g") ? 1024 * number : number;
  }

  /** The memory of the container, in MiB. */
  double memoryMib() {
    return memoryMib;
  }

  private <T extends AutoCloseable> T keep(T resource) {
    closed.add(0, resource);
    return resource;
  }

  private static int port(Channel listening) {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  InetSocketAddress address(Forward forward) {
    return addresses.get(forward);
  }

  InetSocketAddress admin() {
    String address = process.adminAddress();
    return loopback(Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)));
  }

  private void onAccept(Peer peer) {
    backends.removeIf(known -> !known.isOpen());
    backends.add(peer);
    peer.listener((self, frame) -> hostility.onFrame(self, frame));
    peer.send(HELLO);
  }

  /** The open connections of the hostile backend. */
  List<Peer> backends() {
    return backends.stream().filter(Peer::isOpen).toList();
  }

  /** What the hostile backend does with each frame from now on. */
  void hostility(Peer.Listener behaviour) {
    hostility = behaviour;
  }

  /** The hostile backend takes requests and answers nothing. */
  void noHostility() {
    hostility = ANSWERS_NOTHING;
  }

  @Override
  public void close() {
    for (AutoCloseable resource : closed) {
      try {
        resource.close();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }
}

package io.outrigger.program.demo;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.program.app.ProxyApp;
import io.outrigger.program.options.Flag;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.Machine;
import io.outrigger.program.options.OptionsReader;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.StartFailure;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The whole demo: starts a mesh, runs the demo's steps, and stops the mesh. */
@AnyThread
public final class Demo {
  private static final String FORWARD = "greeter";
  private static final Duration DRAIN_LIMIT = Duration.ofSeconds(5);

  private Demo() {}

  /**
   * Runs the demo on the caller's thread.
   *
   * @param limit sets the duration of the demo; empty means that the demo repeats until a signal
   * @param onSignal receives the action that ends the demo
   * @return 0 when every step succeeded, else 1
   * @throws StartFailure when a port cannot be used
   * @throws InvalidInput when the host of the admin address is unknown
   */
  public static int run(
      Optional<Duration> limit,
      ListenAddress.Tcp admin,
      PrintWriter out,
      Consumer<Runnable> onSignal)
      throws StartFailure, InvalidInput {
    var stopped = new AtomicBoolean();
    onSignal.accept(() -> stopped.set(true));
    List<DemoBackend> backends = new ArrayList<>();
    try {
      for (String name : List.of("alpha", "beta", "gamma")) {
        backends.add(new DemoBackend(name));
      }
      int served = freePort(); // chosen last, so that no backend gets the same port
      return run(served, backends.subList(0, 2), backends.get(2), limit, admin, out, stopped);
    } catch (IOException e) {
      throw new StartFailure("the demo cannot start: " + e.getMessage(), e);
    } finally {
      backends.forEach(DemoBackend::kill);
    }
  }

  private static int run(
      int served,
      List<DemoBackend> first,
      DemoBackend second,
      Optional<Duration> limit,
      ListenAddress.Tcp admin,
      PrintWriter out,
      AtomicBoolean stopped)
      throws IOException, StartFailure, InvalidInput {
    String servedApp = "127.0.0.1:%d=127.0.0.1:%d".formatted(served, second.port());
    try (var controlPlane = DemoControlPlane.start(served, List.of(first, List.of(second)));
        var files = new DemoFiles();
        var app = ProxyApp.start(options(controlPlane.port(), files, servedApp, admin))) {
      var sidecar = loopback(((ListenAddress.Tcp) app.listenAddress(FORWARD)).port());
      boolean held;
      DemoStory story;
      try (var load = new DemoLoad(sidecar.getPort());
          var orders = DemoClient.ofServed(files, Optional.of(DemoFiles.ORDERS), served);
          var billing = DemoClient.ofServed(files, Optional.of(DemoFiles.BILLING), served)) {
        DemoStory.Connector nobody = () -> DemoClient.ofServed(files, Optional.empty(), served);
        var peers = new DemoStory.Peers(orders, billing, nobody);
        story = new DemoStory(out, load, peers, first, second, stopped::get);
        story.introduce(
            loopback(controlPlane.port()), sidecar, loopback(served), app.address(Flag.ADMIN));
        String bootstrap = bootstrap(controlPlane.port(), "second-sidecar", "");
        story.introduceSecondSidecar(program(), files.writeBootstrap(bootstrap));
        load.start();
        held = story.run(limit);
      }
      app.drain().completeOnTimeout(null, DRAIN_LIMIT.toMillis(), TimeUnit.MILLISECONDS).join();
      story.conclude();
      return held ? 0 : 1;
    }
  }

  /** Returns a free port, which the control plane must know before the sidecar binds the port. */
  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static ProxyOptions options(
      int controlPlanePort, DemoFiles files, String servedApp, ListenAddress.Tcp admin)
      throws InvalidInput {
    String serving =
        """
        ,
          "certificate_providers": %s,
          "server_listener_resource_name_template": "%s\"\
        """
            .formatted(files.provider(), DemoControlPlane.SERVER_TEMPLATE);
    return OptionsReader.read(
        Map.of(
            Flag.FORWARD, List.of(FORWARD + "@127.0.0.1:0=xds:///" + DemoControlPlane.TARGET),
            Flag.SERVE, List.of(FORWARD + "@" + servedApp),
            Flag.ADMIN, List.of(admin.toString())),
        Map.of(
            "GRPC_XDS_BOOTSTRAP_CONFIG",
            bootstrap(controlPlanePort, DemoControlPlane.NODE, serving)),
        Machine.current());
  }

  /** Returns the JSON text of a bootstrap; {@code more} is empty, or a comma and more members. */
  private static String bootstrap(int controlPlanePort, String node, String more) {
    return """
    {
      "xds_servers": [{
        "server_uri": "127.0.0.1:%d",
        "channel_creds": [{"type": "insecure"}],
        "server_features": ["xds_v3"]
      }],
      "node": {"id": "%s"}%s
    }
    """
        .formatted(controlPlanePort, node, more);
  }

  /** Returns the path of the script that starts this program; prefers a Git checkout's script. */
  private static String program() {
    var jar = Path.of(System.getProperty("java.class.path", "").split(File.pathSeparator, 2)[0]);
    Path script = jar.resolveSibling("../bin/outrigger").normalize();
    Path checkout = script.resolveSibling("../../../../scripts/outrigger").normalize();
    return Stream.of(checkout, script)
        .filter(Files::isExecutable)
        .findFirst()
        .map(Path::toString)
        .orElse("outrigger");
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }
}

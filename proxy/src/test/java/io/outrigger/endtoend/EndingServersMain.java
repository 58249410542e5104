package io.outrigger.endtoend;

import io.outrigger.program.options.Flag;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Counts the calls that fail through Outrigger when its backends are real servers that end their
 * connections, with one event loop and with two ({@code scripts/interop}); beside that, those of a
 * gRPC client without anything between.
 *
 * <p>Arguments: the least calls of each run, and the nginx, haproxy and envoy binaries, each empty
 * where there is none. Ends with 1 when a call failed through Outrigger.
 */
final class EndingServersMain {
  private static final int APPS = 10;

  /** How long a run lasts at least: several times the age of a connection. */
  private static final Duration LEAST = Duration.ofSeconds(5);

  private static final String ROW = "%-48s %-7s %8s %7s %8s %12s%n";

  private final int calls;
  private long failed;

  private EndingServersMain(int calls) {
    this.calls = calls;
  }

  public static void main(String[] args) throws Exception {
    var main = new EndingServersMain(Integer.parseInt(args[0]));
    System.out.printf(ROW, "backend", "loops", "calls", "failed", "seconds", "connections");
    for (EndingServers.Kind kind : EndingServers.of(args[1], args[2], args[3])) {
      if (kind.program().isEmpty()) {
        System.out.printf("%-48s skipped: the program is not installed%n", kind.name());
      } else {
        main.direct(kind);
        main.through(kind, 1);
        main.through(kind, 2);
      }
    }
    System.out.println(
        main.failed == 0 ? "no call failed" : main.failed + " calls failed through Outrigger");
    System.exit(main.failed == 0 ? 0 : 1);
  }

  private void direct(EndingServers.Kind kind) throws Exception {
    try (var mesh = new Mesh()) {
      InetSocketAddress server = kind.starter().start(mesh);
      List<App> apps =
          Stream.generate(() -> mesh.keep(App.thatHonoursGoAway(server)))
              .limit(Math.min(APPS, kind.connections()))
              .toList();
      run(kind, "none", apps, () -> "");
    }
  }

  private void through(EndingServers.Kind kind, int loops) throws Exception {
    try (var mesh = new Mesh()) {
      int port = kind.starter().start(mesh).getPort();
      mesh.controlPlane.serve(
          Xds.cluster("A"),
          Xds.endpoints("A", Xds.locality("a", 0, 1, List.of(port))),
          Xds.listener("orders", "routes"),
          Xds.routesTo("routes", "A"));
      mesh.with(Flag.THREADS, "" + loops).startReady();
      List<App> apps = Stream.generate(mesh::app).limit(APPS).toList();
      failed += run(kind, "" + loops, apps, () -> connections(mesh.admin()));
    }
  }

  /** How many there were to the backend. */
  private static String connections(Admin admin) {
    return "%.0f".formatted(admin.metric("grpc_subchannel_connection_attempts_succeeded_total"));
  }

  /** Prints what became of the calls; returns how many failed. */
  private long run(
      EndingServers.Kind kind, String loops, List<App> apps, Supplier<String> connections) {
    CountedCalls run = CountedCalls.make(calls, LEAST, apps);
    System.out.printf(
        ROW, kind.name(), loops, run.made(), run.failed(), run.seconds(), connections.get());
    run.printFailures();
    return run.failed();
  }
}

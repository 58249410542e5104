package io.outrigger.endtoend;

import io.grpc.Status;
import io.outrigger.endtoend.TlsFiles.Fault;
import io.outrigger.program.options.Flag;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Counts the calls that fail through Outrigger when its backends are real servers with mutual TLS,
 * and tells how those end that must not succeed ({@code scripts/interop}).
 *
 * <p>Arguments: the least calls of each run, and the nginx, haproxy, envoy and openssl binaries,
 * each empty where there is none. Ends with 1 when anything was otherwise than it should be.
 */
final class TlsServersMain {
  private static final int APPS = 10;
  private static final int REFUSED = 20;
  private static final Duration LEAST = Duration.ofSeconds(2);
  private static final String CONNECT_TIMEOUT = "1s";
  private static final String ROW = "%-48s %-7s %8s %7s %8s  %s%n";

  private final int calls;
  private boolean asWanted = true;

  private TlsServersMain(int calls) {
    this.calls = calls;
  }

  public static void main(String[] args) throws Exception {
    var main = new TlsServersMain(Integer.parseInt(args[0]));
    List<TlsServers.Kind> kinds = installed(TlsServers.of(args[1], args[2], args[3]));
    String openssl = args[4];
    System.out.printf(ROW, "backend with mutual TLS", "loops", "calls", "failed", "seconds", "TLS");
    for (TlsServers.Kind kind : kinds) {
      main.count(kind, 1);
      main.count(kind, 2);
    }
    if (!openssl.isEmpty() && !kinds.isEmpty()) {
      main.besideSilent(kinds.get(0), openssl);
    }
    System.out.println();
    for (TlsServers.Kind kind : kinds) {
      main.refuse(kind, Fault.STRANGE_SERVER, Status.Code.UNAVAILABLE, "does not lead to a root");
      main.refuse(kind, Fault.OTHER_NAME, Status.Code.UNAVAILABLE, "not accepted; wanted: ");
      main.refuse(kind, Fault.STRANGE_CLIENT, kind.toStrangers(), "");
    }
    if (!openssl.isEmpty()) {
      main.silentAlone(openssl);
    }
    System.out.println(main.asWanted ? "all as it should be" : "NOT all as it should be");
    System.exit(main.asWanted ? 0 : 1);
  }

  private static List<TlsServers.Kind> installed(List<TlsServers.Kind> kinds) {
    for (TlsServers.Kind kind : kinds) {
      if (kind.program().isEmpty()) {
        System.out.printf("%-48s skipped: the program is not installed%n", kind.name());
      }
    }
    return kinds.stream().filter(kind -> !kind.program().isEmpty()).toList();
  }

  /** A sidecar, what it has for certificates, and who it has for backends. */
  private interface Case {
    void run(Mesh mesh, TlsFiles files) throws Exception;
  }

  private static void in(Fault fault, Case what) throws Exception {
    Path folder = Files.createTempDirectory("certificates");
    try (var mesh = new Mesh()) {
      var files = new TlsFiles(folder, fault);
      mesh.certificateProviders(files.certificateProviders());
      what.run(mesh, files);
    } finally {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
    }
  }

  private static void serve(Mesh mesh, InetSocketAddress... servers) {
    mesh.controlPlane.serve(
        Xds.secureCluster("A", Xds.uri(TlsFiles.SERVER)),
        Xds.endpoints(
            "A",
            Xds.locality("a", 0, 1, Stream.of(servers).map(InetSocketAddress::getPort).toList())),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
  }

  private void count(TlsServers.Kind kind, int loops) throws Exception {
    in(
        Fault.NONE,
        (mesh, files) -> {
          serve(mesh, kind.starter().start(mesh, files));
          mesh.with(Flag.THREADS, "" + loops).startReady();
          count(mesh, kind.name(), loops);
        });
  }

  /** Prints what became of the calls, the protocol, and who called as the server knows it. */
  private void count(Mesh mesh, String name, int loops) {
    List<App> apps = Stream.generate(mesh::app).limit(APPS).toList();
    CountedCalls run = CountedCalls.make(calls, LEAST, apps);
    List<String> caller = apps.get(0).call(InteropMain.PATH).all(TlsServers.PEER);
    String protocol = protocol(mesh.admin());
    System.out.printf(
        ROW,
        name,
        loops,
        run.made(),
        run.failed(),
        run.seconds(),
        protocol + ", caller: " + String.join(", ", caller));
    run.printFailures();
    asWanted &= run.failed() == 0 && protocol.startsWith("TLSv1.") && !caller.isEmpty();
  }

  private static String protocol(Admin admin) {
    String field = "\"protocol\": \"";
    String lb = admin.get("/lb").body();
    int start = lb.indexOf(field) + field.length();
    return start < field.length() ? "plain text" : lb.substring(start, lb.indexOf('"', start));
  }

  /** Calls that must fail, with this code and for this reason. */
  private void refuse(TlsServers.Kind kind, Fault fault, Status.Code code, String reason)
      throws Exception {
    in(
        fault,
        (mesh, files) -> {
          serve(mesh, kind.starter().start(mesh, files));
          mesh.startReady();
          String why = fault.name().toLowerCase(Locale.ROOT).replace('_', ' ');
          refused(mesh, kind.name(), why, code, reason);
        });
  }

  private void refused(Mesh mesh, String name, String why, Status.Code code, String reason) {
    App app = mesh.app();
    int wanted = 0;
    String said = "";
    for (int i = 0; i < REFUSED; i++) {
      App.Reply reply = app.call(InteropMain.PATH);
      said = reply.code() + ": " + reply.message().lines().findFirst().orElse("");
      if (reply.code() == code && reply.message().contains(reason)) {
        wanted++;
      }
    }
    System.out.printf("%-48s %-16s %2d of %d  %s%n", name, why, wanted, REFUSED, said);
    asWanted &= wanted == REFUSED;
  }

  /** A server that is silent after the handshake loses no call where another one serves. */
  private void besideSilent(TlsServers.Kind kind, String openssl) throws Exception {
    in(
        Fault.NONE,
        (mesh, files) -> {
          serve(mesh, kind.starter().start(mesh, files), TlsServers.silent(mesh, openssl, files));
          mesh.with(Flag.CONNECT_TIMEOUT, CONNECT_TIMEOUT).startReady();
          count(mesh, "the first, and openssl s_server", 2);
        });
  }

  private void silentAlone(String openssl) throws Exception {
    in(
        Fault.NONE,
        (mesh, files) -> {
          serve(mesh, TlsServers.silent(mesh, openssl, files));
          mesh.with(Flag.CONNECT_TIMEOUT, CONNECT_TIMEOUT).startReady();
          refused(
              mesh,
              "openssl s_server",
              "no http/2",
              Status.Code.UNAVAILABLE,
              "no SETTINGS within 1000ms");
        });
  }
}

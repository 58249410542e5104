package io.outrigger.program.options;

import java.util.Locale;
import java.util.Optional;

/**
 * The flags of {@code outrigger run}: one table for the command line, the environment, the YAML
 * file and the help text. The defaults in the help text are those of {@link OptionsReader}.
 */
public enum Flag {
  BOOTSTRAP(
      "FILE",
      Arity.ONE,
      "gRPC xDS bootstrap. Default: the file named by $GRPC_XDS_BOOTSTRAP, else the JSON text in"
          + " $GRPC_XDS_BOOTSTRAP_CONFIG"),
  BOOTSTRAP_TIMEOUT(
      "DURATION",
      Arity.ONE,
      "how long to wait for the bootstrap, and for credential files that it names, where they do not"
          + " exist yet; meanwhile ports are open and calls wait. Default 0s"),
  RESOURCES(
      "PATH",
      Arity.MANY,
      "static xDS resources instead of a control plane: a file or a folder of .json or .yaml files,"
          + " watched and reloaded"),
  OVERLAY(
      "PATH",
      Arity.MANY,
      "local policy over what the control plane sends: a file or a folder of .json or .yaml files,"
          + " watched; see proxy/docs/overlay.md"),
  FORWARD(
      "[NAME@]LISTEN=TARGET",
      Arity.MANY,
      "a local port and the target behind it. LISTEN: PORT (on 127.0.0.1), HOST:PORT,"
          + " [::1]:PORT or unix:/path. TARGET: xds:///orders, xds://authority/orders, xds:///*"
          + " (each request's :authority names the target), or dns:///orders:50051 (all addresses of"
          + " a name, without a control plane)"),
  SERVE(
      "[NAME@]LISTEN=APP",
      Arity.MANY,
      "an address that other programs of the mesh call, and the app behind it; the control plane"
          + " says who may call and over which TLS (see proxy/docs/serve.md). LISTEN: IP:PORT or"
          + " [IP6]:PORT. APP: HOST:PORT or unix:/path"),
  SERVE_DRAIN_SPREAD(
      "DURATION",
      Arity.ONE,
      "when the control plane changes a served address, the time over which its older connections"
          + " are asked to go; 0s: at once. Default 30s"),
  SERVE_DRAIN_GRACE(
      "DURATION", Arity.ONE, "the time after which these connections are closed. Default 10m"),
  SERVE_REQUIRE_RBAC(
      "",
      Arity.SWITCH,
      "refuses all requests of a filter chain that has no RBAC filter with action ALLOW"),
  PEER_HEADER(
      "off|x-forwarded-client-cert",
      Arity.ONE,
      "the header that tells a served app the certificate of its caller. Default off"),
  MAX_TARGETS("N", Arity.ONE, "targets at once behind a forward to xds:///*. Default 100"),
  ADMIN(
      "HOST:PORT", Arity.ONE, "admin HTTP server and page; 'off' disables. Default 127.0.0.1:9901"),
  ADMIN_GRPC(
      "HOST:PORT", Arity.ONE, "admin gRPC server: CSDS, health, channelz, reflection. Default off"),
  HEALTH(
      "HOST:PORT",
      Arity.ONE,
      "HTTP server with /live, /ready, /metrics and, with --serve, /app alone, for probes and scrapes"
          + " from outside, under any Host. Default off"),
  THREADS("N", Arity.ONE, "data-plane event loops. Default: the CPUs that the container is given"),
  TRANSPORT(
      "auto|io_uring|epoll|nio",
      Arity.ONE,
      "how sockets are driven. Default auto; io_uring is the same as auto"),
  CONNECT_TIMEOUT("DURATION", Arity.ONE, "for a connection to a backend. Default 20s"),
  IDLE_TIMEOUT(
      "DURATION",
      Arity.ONE,
      "closes a spare connection to a backend that long without calls; 0s: never. Default 30m"),
  KEEPALIVE_TIME(
      "DURATION",
      Arity.ONE,
      "pings a backend after that long without a byte, 10s at least; 0s: never. Default 0s"),
  KEEPALIVE_TIMEOUT("DURATION", Arity.ONE, "closes when a ping is not answered. Default 20s"),
  FRAME_TIMEOUT(
      "DURATION",
      Arity.ONE,
      "in which a peer must end a frame or header block that it has begun. Default 30s"),
  UNREAD_TIMEOUT(
      "DURATION",
      Arity.ONE,
      "after which a peer that reads nothing of what was sent to it is disconnected. Default 5m"),
  MAX_CONCURRENT_STREAMS("N", Arity.ONE, "per local connection. Default 1000"),
  MAX_HEADER_BYTES("BYTES", Arity.ONE, "per header list of a local request. Default 64KiB"),
  MAX_CONNECTIONS("N", Arity.ONE, "local connections. Default 10000"),
  MAX_MEMORY(
      "BYTES",
      Arity.ONE,
      "that peers may make the process hold, on the heap and off it, such as 64MiB; beyond it the"
          + " heaviest streams and connections end. Default: what fits into the container"),
  MAX_QUEUED_REQUESTS(
      "N",
      Arity.ONE,
      "requests that may wait for names and connections, per forward. Default 10000"),
  IGNORE_ROUTE_TIMEOUT(
      "",
      Arity.SWITCH,
      "leaves RouteAction.timeout and max_grpc_timeout out of account, as proxyless clients do"),
  AUTHORITY(
      "target|preserve|TEXT",
      Arity.ONE,
      "the :authority sent upstream and matched against virtual hosts: the target's, the app's own,"
          + " or a fixed one. Default target"),
  DRAIN_DELAY(
      "DURATION", Arity.ONE, "on SIGTERM, how long requests are still accepted. Default 0s"),
  DRAIN_TIMEOUT("DURATION", Arity.ONE, "and then how long running ones may take. Default 30s"),
  ACCESS_LOG("-|FILE", Arity.ONE, "one JSON line a request, - for stdout. Default off"),
  DECISION_HEADER(
      "NAME",
      Arity.ONE,
      "a request with this header gets x-outrigger-decision in the response trailers: where it went"
          + " and why. Default off"),
  METRIC_METHODS(
      "METHOD",
      Arity.MANY,
      "a gRPC method that metrics tell apart, such as pkg.Service/Method; all others count as"
          + " other, since names come from apps. Repeatable"),
  METRICS_EXPERIMENTAL(
      "NAME",
      Arity.MANY,
      "turns a metric on that its gRFC calls experimental: grpc.client.call.delay.duration or"
          + " grpc.client.attempt.delay.duration. Repeatable"),
  METRIC_LOCALITY(
      "",
      Arity.SWITCH,
      "metrics of attempts have grpc.lb.locality too, which multiplies their histograms by the"
          + " localities"),
  LOG_LEVEL("LEVEL", Arity.ONE, "TRACE, DEBUG, INFO, WARN, ERROR or OFF, on stderr. Default INFO"),
  LOG_FORMAT("text|json", Arity.ONE, "form of the log. Default text"),
  OTLP(
      "ENDPOINT", Arity.ONE, "traces and metrics over OTLP, such as http://host:4317. Default off"),
  CONFIG("FILE", Arity.ONE, "YAML file with these same names; flags and environment win over it");

  /** The number of values that a flag takes. */
  public enum Arity {
    /** Takes an optional value; the flag alone means true. */
    SWITCH,
    ONE,
    /** Takes one value per use, and may be repeated. */
    MANY
  }

  private final String label;
  private final Arity arity;
  private final String help;

  Flag(String label, Arity arity, String help) {
    this.label = label;
    this.arity = arity;
    this.help = help;
  }

  /** Returns the bare name, as in the YAML file: {@code drain-delay}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the command-line option: {@code --drain-delay}. */
  public String option() {
    return "--" + key();
  }

  /** Returns the environment variable: {@code OUTRIGGER_DRAIN_DELAY}. */
  public String variable() {
    return "OUTRIGGER_" + name();
  }

  /** Returns the placeholder of the value in the help text; empty for a switch. */
  public String label() {
    return label;
  }

  public Arity arity() {
    return arity;
  }

  public String help() {
    return help;
  }

  /** Returns the flag with the bare name {@code key}. */
  public static Optional<Flag> ofKey(String key) {
    for (Flag flag : values()) {
      if (flag.key().equals(key)) {
        return Optional.of(flag);
      }
    }
    return Optional.empty();
  }
}

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
      "the gRPC xDS bootstrap. Default: the file that $GRPC_XDS_BOOTSTRAP names, else the JSON"
          + " text in $GRPC_XDS_BOOTSTRAP_CONFIG"),
  BOOTSTRAP_TIMEOUT(
      "DURATION",
      "how long to wait for the bootstrap, and for the credential files that it names, if"
          + " they do not exist yet; ports are open during the wait, and calls are queued."
          + " Default 0s"),
  RESOURCES(
      "PATH",
      Arity.MANY,
      "static xDS resources instead of a control plane: a file or a folder of .json or .yaml"
          + " files, which is watched. Repeatable"),
  STATE(
      "DIR",
      "a folder that stores the resources of the control plane; a later start uses them if"
          + " no control plane answers; see docs/run/state.md. Default off"),
  STATE_AFTER(
      "DURATION",
      "how long a start waits for a control plane before it uses stored resources. Default"
          + " 5s"),
  STATE_MAX_AGE(
      "DURATION",
      "how old stored resources may be; their age is the time since the control plane was"
          + " last reachable. Default 24h"),
  OVERLAY(
      "PATH",
      Arity.MANY,
      "local policy that overrides what the control plane sends: a file or a folder of .json or"
          + " .yaml files, which is watched; see docs/use/overlay.md. Repeatable"),
  FORWARD(
      "[NAME@]LISTEN=TARGET",
      Arity.MANY,
      "a local port and the target of its calls. LISTEN: PORT (on 127.0.0.1), HOST:PORT,"
          + " [::1]:PORT or unix:/path. TARGET: xds:///orders, xds://authority/orders, xds:///*"
          + " (each request's :authority names the target); without a control plane:"
          + " dns:///orders:50051 (all addresses of a name) or k8s:///orders.shop:8080 (the"
          + " endpoints of a Kubernetes Service). Repeatable"),
  DNS_REFRESH(
      "DURATION",
      "how often the name of a dns: target is looked up again, but never before the TTL of"
          + " the DNS records has passed; 0s: only when a connection is lost. Default 30s"),
  KUBECONFIG(
      "FILE",
      "a kubeconfig file with the address and the credentials of the API server for k8s:"
          + " targets. Default: the service account of the pod"),
  ZONE(
      "NAME",
      "the zone of this process; for k8s: targets, calls go to endpoints whose topology hints name"
          + " this zone. Default none"),
  SERVE(
      "[NAME@]LISTEN=APP",
      Arity.MANY,
      "an address that other programs of the mesh call, and the app behind it; the control"
          + " plane defines the allowed callers and their TLS (see docs/use/serve.md)."
          + " LISTEN: IP:PORT or [IP6]:PORT. APP: HOST:PORT or unix:/path. Repeatable"),
  SERVE_DRAIN_SPREAD(
      "DURATION",
      "the time over which older connections get GOAWAY after the control plane has changed"
          + " a served address; 0s: at once. Default 30s"),
  SERVE_DRAIN_GRACE(
      "DURATION", "how long connections of a replaced Listener may stay open. Default 10m"),
  SERVE_REQUIRE_RBAC(
      "refuses the requests of a filter chain or route without an RBAC filter of action ALLOW"),
  PEER_HEADER(
      "off|x-forwarded-client-cert",
      "the header that tells a served app the certificate of its caller. Default off"),
  MAX_TARGETS(
      "N",
      "the maximum number of targets of a forward that has one target for each :authority:"
          + " a forward to xds:///*, or any forward with --authority preserve. Default 100"),
  ADMIN(
      "HOST:PORT",
      "the address of the admin HTTP server and its page; 'off' disables it. Default"
          + " 127.0.0.1:9901"),
  ADMIN_GRPC(
      "HOST:PORT",
      "the address of the admin gRPC server: CSDS, health, channelz, reflection. Default off"),
  HEALTH(
      "HOST:PORT",
      "the address of an HTTP server with only /live, /ready, /metrics and, with --serve, /app,"
          + " for probes and scrapes from other hosts; it accepts any Host header. Default off"),
  THREADS("N", "the number of event loops of the data plane. Default: the CPUs of the container"),
  TRANSPORT(
      "auto|io_uring|epoll|nio",
      "the system interface for sockets. Default auto; io_uring means the same as auto"),
  CONNECT_TIMEOUT(
      "DURATION", "how long a connection to a backend may take to open, TLS included. Default 20s"),
  IDLE_TIMEOUT(
      "DURATION",
      "closes a connection to a backend that has had no calls for this time; 0s: never. Default"
          + " 30m"),
  KEEPALIVE_TIME(
      "DURATION",
      "sends a ping to a backend that has sent nothing for this time, at least 10s; 0s: never."
          + " Default 0s"),
  KEEPALIVE_TIMEOUT(
      "DURATION", "closes a connection whose ping is not answered in this time. Default 20s"),
  FRAME_TIMEOUT(
      "DURATION",
      "disconnects a peer that does not end a frame or header block in this time. Default 30s"),
  UNREAD_TIMEOUT(
      "DURATION",
      "disconnects a peer that has read none of the bytes sent to it for this time. Default 5m"),
  MAX_CONCURRENT_STREAMS("N", "how many requests a local connection may have open. Default 1000"),
  MAX_HEADER_BYTES("BYTES", "how large headers of a request or response may be. Default 64KiB"),
  MAX_CONNECTIONS("N", "how many local connections may be open. Default 10000"),
  MAX_MEMORY(
      "BYTES",
      "how much memory peers may make the process use, on the heap and outside it, such as"
          + " 64MiB; above this limit, the connections that use most memory are closed."
          + " Default: what fits into the container"),
  MAX_QUEUED_REQUESTS(
      "N",
      "how many requests of a forward may wait for name resolution and connections. Default"
          + " 10000"),
  IGNORE_ROUTE_TIMEOUT("ignores RouteAction.timeout and max_grpc_timeout, as proxyless clients do"),
  AUTHORITY(
      "target|preserve|TEXT",
      "the :authority that is sent to backends and matched against virtual hosts: the target's,"
          + " the app's own, or a fixed one. Default target"),
  DRAIN_DELAY("DURATION", "how long requests are still accepted after SIGTERM. Default 0s"),
  DRAIN_TIMEOUT(
      "DURATION", "how long open requests may take to finish after --drain-delay. Default 30s"),
  ACCESS_LOG("-|FILE", "writes one JSON line per request; - means stdout. Default off"),
  METRIC_METHODS(
      "METHOD",
      Arity.MANY,
      "a gRPC method that metrics count separately, such as pkg.Service/Method; all others"
          + " count as other, since apps choose names. Repeatable"),
  METRICS_EXPERIMENTAL(
      "NAME",
      Arity.MANY,
      "enables a metric that its gRFC calls experimental: grpc.client.call.delay.duration or"
          + " grpc.client.attempt.delay.duration. Repeatable"),
  METRICS_LABELS(
      "all|none|NAME",
      Arity.MANY,
      "the optional labels that metrics have: grpc.lb.locality, grpc.lb.backend_service,"
          + " grpc.disconnect_error, grpc.security_level; several are separated by commas. Default:"
          + " all but the locality of attempts"),
  METRIC_LOCALITY(
      "adds the label grpc.lb.locality to metrics of attempts, which multiplies their"
          + " histograms by the number of localities; --metrics-labels overrides it"),
  LOG_LEVEL("LEVEL", "TRACE, DEBUG, INFO, WARN, ERROR or OFF; the log is on stderr. Default INFO"),
  LOG_FORMAT("text|json", "the form of the log. Default text"),
  OTLP(
      "ENDPOINT",
      "sends traces and metrics to an OTLP collector, such as http://host:4317. Default off"),
  CONFIG(
      "FILE",
      "a YAML file with the names of these flags; flags and environment variables override it");

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

  Flag(String help) {
    this("true|false", Arity.SWITCH, help);
  }

  Flag(String label, String help) {
    this(label, Arity.ONE, help);
  }

  Flag(String label, Arity arity, String help) {
    this.label = label;
    this.arity = arity;
    this.help = help;
  }

  /** Returns the flag's name in the YAML file, such as {@code drain-delay}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the command-line option, such as {@code --drain-delay}. */
  public String option() {
    return "--" + key();
  }

  /** Returns the environment variable, such as {@code OUTRIGGER_DRAIN_DELAY}. */
  public String variable() {
    return "OUTRIGGER_" + name();
  }

  /** Returns the placeholder of the value in the help text. */
  public String label() {
    return label;
  }

  public Arity arity() {
    return arity;
  }

  public String help() {
    return help;
  }

  public static Optional<Flag> ofKey(String key) {
    for (Flag flag : values()) {
      if (flag.key().equals(key)) {
        return Optional.of(flag);
      }
    }
    return Optional.empty();
  }
}

package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.dataplane.upstream.UpstreamSockets;
import io.outrigger.observe.admin.AdminServer;
import io.outrigger.observe.admin.AnswerTurns;
import io.outrigger.observe.admin.grpc.AdminGrpcServer;
import io.outrigger.program.options.Flag;
import io.outrigger.program.options.ProgramVersion;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.StartFailure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The servers that the options enable besides the forwards: admin HTTP, admin gRPC and health. */
@AnyThread
final class AdminServers implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AdminServers.class);

  /**
   * The period at which readiness is polled, since changes of readiness are not published. The
   * published health status is at most one period old.
   */
  private static final Duration HEALTH_PERIOD = Duration.ofMillis(100);

  private final Optional<AdminServer> http;
  private final Optional<AdminGrpcServer> grpc;
  private final Optional<AdminServer> health;
  private volatile boolean closed;

  private AdminServers(
      Optional<AdminServer> http, Optional<AdminGrpcServer> grpc, Optional<AdminServer> health) {
    this.http = http;
    this.grpc = grpc;
    this.health = health;
  }

  /**
   * Opens the ports of the enabled servers.
   *
   * @param upstream the connections that channelz shows
   * @throws StartFailure when a port cannot be bound; servers that are open already are closed
   *     again
   */
  static AdminServers open(ProxyOptions options, AdminState state, UpstreamSockets upstream)
      throws StartFailure {
    var turns = new AnswerTurns();
    Optional<AdminServer> http = Optional.empty();
    Optional<AdminGrpcServer> grpc = Optional.empty();
    Optional<AdminServer> health = Optional.empty();
    try {
      http =
          open(
              Flag.ADMIN,
              options.servers().admin(),
              address ->
                  AdminServer.start(
                      AdminServer.Audience.OPERATORS,
                      address,
                      AdminEndpoints.of(state),
                      turns,
                      state.unread()));
      grpc =
          open(
              Flag.ADMIN_GRPC,
              options.servers().adminGrpc(),
              address ->
                  AdminGrpcServer.start(
                      address,
                      state.controlPlanes()::node,
                      ProgramVersion.text(),
                      () -> state.onControl(state.controlPlanes()::status),
                      new LiveChannelz(state, upstream),
                      turns,
                      state.unread()));
      health =
          open(
              Flag.HEALTH,
              options.servers().health(),
              address ->
                  AdminServer.start(
                      AdminServer.Audience.PROBES,
                      address,
                      AdminEndpoints.probes(state),
                      turns,
                      state.unread()));
    } catch (StartFailure failure) {
      new AdminServers(http, grpc, health).close();
      throw failure;
    }
    var servers = new AdminServers(http, grpc, health);
    grpc.ifPresent(server -> state.control().execute(() -> servers.watchHealth(server, state)));
    return servers;
  }

  private interface Opening<T> {
    T open(InetSocketAddress address) throws IOException;
  }

  private static <T> Optional<T> open(
      Flag flag, Optional<ListenAddress.Tcp> address, Opening<T> opening) throws StartFailure {
    if (address.isEmpty()) {
      return Optional.empty();
    }
    ListenAddress.Tcp tcp = address.get();
    try {
      return Optional.of(opening.open(new InetSocketAddress(tcp.host(), tcp.port())));
    } catch (IOException e) {
      throw StartFailure.cannotBind(flag.option() + " " + tcp, e);
    }
  }

  /** Runs on the control loop. */
  private void watchHealth(AdminGrpcServer server, AdminState state) {
    if (closed) {
      return;
    }
    Map<String, Boolean> serving = new HashMap<>();
    boolean draining = state.drain().hasBegun();
    state
        .forwards()
        .forEach(forward -> serving.put(forward.name(), !draining && state.isConfigured(forward)));
    state
        .serves()
        .forEach(
            serve ->
                serving.merge(
                    serve.spec().name(),
                    !draining && serve.notReady().isEmpty(),
                    Boolean::logicalAnd)); // a forward may have the same name
    serving.put("", state.notReady().isEmpty());
    server.health(serving);
    state.control().schedule(HEALTH_PERIOD, () -> watchHealth(server, state));
  }

  /** Returns the address of the HTTP server; empty when the server is off. */
  Optional<InetSocketAddress> httpAddress() {
    return http.map(AdminServer::address);
  }

  /** Returns the address of the health server; empty when the server is off. */
  Optional<InetSocketAddress> healthAddress() {
    return health.map(AdminServer::address);
  }

  /** Returns the address of the gRPC server; empty when the server is off. */
  Optional<InetSocketAddress> grpcAddress() {
    return grpc.map(AdminGrpcServer::address);
  }

  void announce() {
    httpAddress().ifPresent(AdminServers::announceAdmin);
    grpcAddress().ifPresent(bound -> log.info("admin gRPC: {}", text(bound)));
    healthAddress().ifPresent(bound -> log.info("health: http://{}/", text(bound)));
  }

  /** Returns an address as it stands in a URL. */
  private static ListenAddress text(InetSocketAddress bound) {
    return new ListenAddress.Tcp(bound.getAddress().getHostAddress(), bound.getPort());
  }

  private static void announceAdmin(InetSocketAddress bound) {
    log.info("admin: http://{}/", text(bound));
    if (bound.getAddress().isAnyLocalAddress()) {
      log.warn(
          "--admin {}: every host that reaches this address can drain the sidecar and read its"
              + " configuration; use --health for probes and scrapes from outside",
          text(bound));
    }
  }

  @Override
  public void close() {
    closed = true;
    http.ifPresent(AdminServer::close);
    grpc.ifPresent(AdminGrpcServer::close);
    health.ifPresent(AdminServer::close);
  }
}

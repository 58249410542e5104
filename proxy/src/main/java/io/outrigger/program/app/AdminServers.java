package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.IpAddress;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.observe.admin.AdminEndpoint;
import io.outrigger.observe.admin.AdminServer;
import io.outrigger.observe.admin.ReplyQueue;
import io.outrigger.observe.admin.grpc.AdminGrpcServer;
import io.outrigger.program.options.Flag;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.ProgramVersion;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.StartFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The admin servers that the options enable: admin HTTP, admin gRPC and health. */
@AnyThread
final class AdminServers implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AdminServers.class);

  /**
   * The period at which {@code watchHealth} polls readiness, because no event reports a change of
   * readiness. The published health status is at most one polling period old.
   */
  private static final Duration HEALTH_PERIOD = Duration.ofMillis(100);

  private record Running(InetSocketAddress address, Runnable close) {}

  private final Components components;
  private final ReplyQueue replyQueue = new ReplyQueue();
  private final Map<Flag, Running> running = new EnumMap<>(Flag.class);
  private volatile boolean closed;

  AdminServers(Components components) {
    this.components = components;
  }

  /**
   * Opens the ports of the enabled servers.
   *
   * @throws StartFailure when a port cannot be bound
   * @throws InvalidInput when the host of a port is unknown
   */
  void open() throws StartFailure, InvalidInput {
    ProxyOptions.Servers addresses = components.options.servers();
    open(
        Flag.ADMIN,
        addresses.admin(),
        at -> http(AdminServer.Audience.OPERATORS, at, AdminEndpoints.of(components)));
    open(Flag.ADMIN_GRPC, addresses.adminGrpc(), this::grpc);
    open(
        Flag.HEALTH,
        addresses.health(),
        at -> http(AdminServer.Audience.PROBES, at, AdminEndpoints.probes(components)));
  }

  private interface Opening {
    Running open(InetSocketAddress address) throws IOException;
  }

  private Running http(
      AdminServer.Audience audience, InetSocketAddress at, Map<String, AdminEndpoint> endpoints)
      throws IOException {
    AdminServer server = AdminServer.start(audience, at, endpoints, replyQueue, components.unread);
    return new Running(server.address(), server::close);
  }

  private Running grpc(InetSocketAddress at) throws IOException {
    AdminGrpcServer server =
        AdminGrpcServer.start(
            at,
            components.controlPlanes::node,
            ProgramVersion.text(),
            () -> components.onControl(components.controlPlanes::status),
            new LiveChannelz(components),
            replyQueue,
            components.unread);
    components.control.execute(() -> watchHealth(server));
    return new Running(server.address(), server::close);
  }

  private void open(Flag flag, Optional<ListenAddress.Tcp> address, Opening opening)
      throws StartFailure, InvalidInput {
    if (address.isEmpty()) {
      return;
    }
    ListenAddress.Tcp tcp = address.get();
    try {
      running.put(flag, opening.open(new InetSocketAddress(tcp.host(), tcp.port())));
    } catch (IOException e) {
      throw StartFailure.cannotBind(flag.option() + " " + tcp, e);
    }
  }

  /** Runs on the control loop. */
  private void watchHealth(AdminGrpcServer server) {
    if (closed) {
      return;
    }
    Map<String, Boolean> serving = new HashMap<>();
    boolean draining = components.drain.hasBegun();
    components.forwards.forEach(
        forward -> serving.put(forward.name(), !draining && components.isConfigured(forward)));
    components.serves.forEach(
        serve ->
            serving.merge(
                serve.spec().name(),
                !draining && serve.notReady().isEmpty(),
                Boolean::logicalAnd)); // a forward and a serve may share a name
    serving.put("", components.notReady().isEmpty());
    server.health(serving);
    components.control.schedule(HEALTH_PERIOD, () -> watchHealth(server));
  }

  /** Returns the address of the server that the given flag enables; empty if the flag is off. */
  Optional<InetSocketAddress> address(Flag flag) {
    return Optional.ofNullable(running.get(flag)).map(Running::address);
  }

  void announce() {
    announce(
        Flag.ADMIN,
        "admin: http://{}/",
        "drain the sidecar and read its configuration; use --health for probes and scrapes from"
            + " outside");
    announce(Flag.ADMIN_GRPC, "admin gRPC: {}", "read the sidecar's configuration");
    announce(Flag.HEALTH, "health: http://{}/", "");
  }

  /**
   * @param risk describes the actions that the server allows to every host that can connect to it;
   *     empty when no warning is needed
   */
  private void announce(Flag flag, String line, String risk) {
    address(flag)
        .ifPresent(
            bound -> {
              InetAddress ip = bound.getAddress();
              var text = new ListenAddress.Tcp(IpAddress.of(ip).toString(), bound.getPort());
              log.info(line, ip.isAnyLocalAddress() ? "localhost:" + bound.getPort() : text);
              if (!risk.isEmpty() && !ip.isLoopbackAddress()) {
                String warning = "{} {}: every host that reaches this address can {}";
                log.warn(warning, flag.option(), text, risk);
              }
            });
  }

  @Override
  public void close() {
    closed = true;
    running.values().forEach(each -> each.close().run());
  }
}

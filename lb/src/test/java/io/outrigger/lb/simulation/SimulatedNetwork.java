package io.outrigger.lb.simulation;

import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.Connector;
import io.outrigger.lb.Transport;
import io.outrigger.lb.Transport.BackendMetricsStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Connects to simulated servers: a round trip later, the connection is there or is refused. */
final class SimulatedNetwork implements Connector {
  private static final Duration ROUND_TRIP = Duration.ofMillis(1);

  private final ControlLoop loop;
  private final Map<EndpointAddress, SimulatedServer> servers = new HashMap<>();
  private final Map<SimulatedServer, List<Connection>> connections = new HashMap<>();

  /** A connection to {@code server}. */
  record SimulatedTransport(SimulatedServer server) implements Transport {
    @Override
    public BackendMetricsStream openBackendMetrics(
        Duration interval, BackendMetricsStream.Listener listener) {
      throw new UnsupportedOperationException("reports come with the responses here");
    }
  }

  SimulatedNetwork(ControlLoop loop) {
    this.loop = loop;
  }

  void add(EndpointAddress address, SimulatedServer server) {
    servers.put(address, server);
    connections.put(server, new ArrayList<>(1));
  }

  SimulatedServer server(EndpointAddress address) {
    return Objects.requireNonNull(servers.get(address), address::toString);
  }

  /** Cuts what leads to {@code server}. On the control loop. */
  void cut(SimulatedServer server) {
    for (Connection connection : List.copyOf(of(server))) {
      connection.end("connection reset");
    }
  }

  private List<Connection> of(SimulatedServer server) {
    return Objects.requireNonNull(connections.get(server), server::address);
  }

  @Override
  public Attempt connect(EndpointAddress address, int maxConnections, Connector.Listener listener) {
    var connection = new Connection(server(address), listener);
    of(connection.server).add(connection);
    loop.schedule(ROUND_TRIP, connection::arrive);
    return connection;
  }

  private final class Connection implements Attempt {
    private final SimulatedServer server;
    private final Connector.Listener listener;
    private boolean over;

    Connection(SimulatedServer server, Connector.Listener listener) {
      this.server = server;
      this.listener = listener;
    }

    void arrive() {
      if (over) {
        return; // given up while under way
      }
      if (server.isUp()) {
        listener.onReady(new SimulatedTransport(server));
      } else {
        end("connection refused");
      }
    }

    void end(String reason) {
      close();
      listener.onClosed(RpcStatus.unavailable(reason), Ending.BROKEN);
    }

    @Override
    public void close() {
      over = true;
      of(server).remove(this);
    }
  }
}

package io.outrigger.lb.testing;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.Connector;
import io.outrigger.lb.Transport;
import io.outrigger.lb.Transport.BackendMetricsStream;
import io.outrigger.lb.state.ConnectionEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Connections that do what the test says. Nothing happens by itself. */
public final class FakeConnector implements Connector {
  private final List<FakeAttempt> attempts = new ArrayList<>();

  /** The transport of an attempt that became ready. */
  public record FakeTransport(EndpointAddress address, int attempt, List<FakeReports> reports)
      implements Transport {
    public FakeTransport(EndpointAddress address, int attempt) {
      this(address, attempt, new ArrayList<>());
    }

    @Override
    public BackendMetricsStream openBackendMetrics(
        Duration interval, BackendMetricsStream.Listener listener) {
      var stream = new FakeReports(interval, listener);
      reports.add(stream);
      return stream;
    }
  }

  /** A request for load reports. */
  public static final class FakeReports implements BackendMetricsStream {
    private final Duration interval;
    private final BackendMetricsStream.Listener listener;
    private boolean closed;

    FakeReports(Duration interval, BackendMetricsStream.Listener listener) {
      this.interval = interval;
      this.listener = listener;
    }

    public Duration interval() {
      return interval;
    }

    /** What the one who asked is to be told. On the control loop. */
    public BackendMetricsStream.Listener listener() {
      return listener;
    }

    public boolean isClosed() {
      return closed;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  @Override
  public Attempt connect(EndpointAddress address, int maxConnections, Connector.Listener listener) {
    var attempt = new FakeAttempt(address, listener, attempts.size());
    attempt.limitConnections(maxConnections);
    attempts.add(attempt);
    return attempt;
  }

  /** How many attempts were ever made. */
  public int count() {
    return attempts.size();
  }

  /** How many attempts were ever made to {@code address}. */
  public int count(String address) {
    return (int) attempts.stream().filter(attempt -> attempt.isTo(address)).count();
  }

  /** The attempt that was made last. */
  public FakeAttempt newest() {
    return attempts.get(attempts.size() - 1);
  }

  /** The newest attempt to {@code address}. */
  public FakeAttempt last(String address) {
    for (int i = attempts.size() - 1; i >= 0; i--) {
      if (attempts.get(i).isTo(address)) {
        return attempts.get(i);
      }
    }
    throw new AssertionError("no attempt to " + address);
  }

  /** Every attempt to {@code address} that is under way succeeds. On the control loop. */
  public void readyAll(String address) {
    underWay().filter(attempt -> attempt.isTo(address)).toList().forEach(FakeAttempt::ready);
  }

  /** Every attempt that is under way succeeds. On the control loop. */
  public void readyAll() {
    underWay().toList().forEach(FakeAttempt::ready);
  }

  private Stream<FakeAttempt> underWay() {
    return attempts.stream().filter(attempt -> !attempt.over && !attempt.connected);
  }

  /** Addresses that are being connected or are connected, in the order of their attempts. */
  public List<String> open() {
    return attempts.stream()
        .filter(attempt -> !attempt.over)
        .map(attempt -> attempt.address.toString())
        .toList();
  }

  /** One attempt, and the connection that may come of it. */
  public static final class FakeAttempt implements Attempt {
    private final EndpointAddress address;
    private final Connector.Listener listener;
    private final int number;
    private int maxConnections;
    private boolean connected;
    private boolean over;
    private boolean givenUp;

    FakeAttempt(EndpointAddress address, Connector.Listener listener, int number) {
      this.address = address;
      this.listener = listener;
      this.number = number;
    }

    /** What it tells its owner through. */
    public Connector.Listener listener() {
      return listener;
    }

    /** It had to wait for others, and begins now. On the control loop. */
    public void begun() {
      listener.onStarted();
    }

    /** It is connected now. On the control loop. */
    public void ready() {
      connected = true;
      listener.onConnection(new ConnectionEvent.Made());
      listener.onReady(new FakeTransport(address, number));
    }

    /** It failed, or the connection was lost before it had served. On the control loop. */
    public void end(String reason) {
      end(reason, Ending.BROKEN);
    }

    /** It failed, or the connection ended. On the control loop. */
    public void end(String reason, Ending ending) {
      over = true;
      listener.onConnection(
          connected ? new ConnectionEvent.Lost("unknown") : new ConnectionEvent.Failed());
      listener.onClosed(RpcStatus.unavailable(reason), ending);
    }

    /** What it failed for is there now. On the control loop. */
    public void remedied() {
      listener.onRemedied();
    }

    /** Whether it failed, was lost or was closed. */
    public boolean isOver() {
      return over;
    }

    /** Whether its owner closed it. */
    public boolean isGivenUp() {
      return givenUp;
    }

    @Override
    public void close() {
      over = true;
      givenUp = true;
    }

    @Override
    public void limitConnections(int max) {
      maxConnections = max;
    }

    /** How many connections its owner allows. */
    public int maxConnections() {
      return maxConnections;
    }

    private boolean isTo(String wanted) {
      return address.toString().equals(wanted);
    }
  }
}

package io.outrigger.xds.report;

import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsRequest;
import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsResponse;
import io.outrigger.base.RpcStatus;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.ServerStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A server of load reports without a network: the test plays its part. */
final class FakeLrsTransport implements LrsTransport {
  private final FakeControlLoop loop;
  private final List<Stream> streams = new ArrayList<>();

  FakeLrsTransport(FakeControlLoop loop) {
    this.loop = loop;
  }

  /** All streams that were opened, oldest first. */
  List<Stream> streams() {
    return streams;
  }

  /** The newest stream. */
  Stream stream() {
    return streams.get(streams.size() - 1);
  }

  @Override
  public ServerStream<LoadStatsRequest> open(Listener listener) {
    var stream = new Stream(listener, Duration.ofNanos(loop.nanoTime()));
    streams.add(stream);
    return stream;
  }

  /** One stream from the server's side. */
  final class Stream implements ServerStream<LoadStatsRequest> {
    private final LrsTransport.Listener listener;
    private final Duration openedAt;
    private final List<LoadStatsRequest> requests = new ArrayList<>();
    private boolean isReady = true;
    private boolean closed;
    private boolean ended;
    private int permits;

    Stream(LrsTransport.Listener listener, Duration openedAt) {
      this.listener = listener;
      this.openedAt = openedAt;
    }

    Duration openedAt() {
      return openedAt;
    }

    /** Whether the server has ended it. */
    boolean isEnded() {
      return ended;
    }

    boolean isClosed() {
      return closed;
    }

    /** The requests since the last call of this method. */
    List<LoadStatsRequest> take() {
      List<LoadStatsRequest> taken = List.copyOf(requests);
      requests.clear();
      return taken;
    }

    /** Asks for these clusters, or for all when there are none. */
    void ask(Duration interval, String... clusters) {
      respond(
          LoadStatsResponse.newBuilder()
              .setLoadReportingInterval(
                  com.google.protobuf.Duration.newBuilder()
                      .setSeconds(interval.getSeconds())
                      .setNanos(interval.getNano()))
              .setSendAllClusters(clusters.length == 0)
              .addAllClusters(List.of(clusters))
              .build());
    }

    void respond(LoadStatsResponse response) {
      if (permits == 0) {
        throw new AssertionError("the client did not ask for another response");
      }
      permits--;
      loop.inside(() -> listener.onResponse(response));
    }

    /** Lets what is sent from now on wait, until {@link #unblock}. */
    void block() {
      isReady = false;
    }

    void unblock() {
      isReady = true;
      loop.inside(listener::onReady);
    }

    /** Ends the stream from the server's side. */
    void closeWith(RpcStatus status) {
      ended = true;
      loop.inside(() -> listener.onClosed(status));
    }

    @Override
    public void send(LoadStatsRequest request) {
      loop.checkInside();
      if (!closed) {
        try {
          requests.add(LoadStatsRequest.parseFrom(request.toByteString())); // as a server reads it
        } catch (InvalidProtocolBufferException e) {
          throw new AssertionError("what the client sends is no request", e);
        }
      }
    }

    @Override
    public boolean isReady() {
      return isReady;
    }

    @Override
    public void requestNext() {
      loop.checkInside();
      permits++;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}

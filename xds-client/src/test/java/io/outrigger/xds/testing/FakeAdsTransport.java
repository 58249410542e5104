package io.outrigger.xds.testing;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.base.RpcStatus;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ServerStream;
import io.outrigger.xds.report.LrsTransport;
import io.outrigger.xds.stream.AdsTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A control plane without a network: the test reads requests and plays the server's part. */
public final class FakeAdsTransport implements AdsTransport {
  private final FakeControlLoop loop;
  private final String name;
  private final List<Stream> streams = new ArrayList<>();
  private Optional<LrsTransport> loadReports = Optional.empty();
  private boolean connecting;
  private boolean closed;

  public FakeAdsTransport(FakeControlLoop loop) {
    this(loop, "cp.test:443");
  }

  public FakeAdsTransport(FakeControlLoop loop, String name) {
    this.loop = loop;
    this.name = name;
  }

  /** Lets clusters of this server ask for load reports; nobody sends one. */
  public FakeAdsTransport takingLoadReports() {
    return takingLoadReports(
        listener -> {
          throw new AssertionError("load is reported to " + name);
        });
  }

  /** Lets clusters of this server ask for load reports, which {@code reports} takes. */
  public FakeAdsTransport takingLoadReports(LrsTransport reports) {
    loadReports = Optional.of(reports);
    return this;
  }

  /** All streams that were opened, oldest first. */
  public List<Stream> streams() {
    return streams;
  }

  /** The streams that neither end has closed. */
  public List<Stream> openStreams() {
    return streams.stream().filter(stream -> !stream.isClosed() && !stream.ended).toList();
  }

  /** The newest stream. */
  public Stream stream() {
    return streams.get(streams.size() - 1);
  }

  public boolean isClosed() {
    return closed;
  }

  /** Whether the client began to connect before its first stream. */
  public boolean isConnecting() {
    return connecting;
  }

  @Override
  public void connect() {
    connecting = true;
  }

  @Override
  public ServerStream<DiscoveryRequest> open(Listener listener) {
    var stream = new Stream(listener, Duration.ofNanos(loop.nanoTime()));
    streams.add(stream);
    return stream;
  }

  @Override
  public Optional<LrsTransport> loadReports() {
    return loadReports;
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public String name() {
    return name;
  }

  /** One stream from the server's side. */
  public final class Stream implements ServerStream<DiscoveryRequest> {
    private final AdsTransport.Listener listener;
    private final Duration openedAt;
    private final List<DiscoveryRequest> requests = new ArrayList<>();
    private int permits;
    private boolean streamClosed;
    private boolean isReady;
    private boolean ended;
    private int nonces;

    Stream(AdsTransport.Listener listener, Duration openedAt) {
      this.listener = listener;
      this.openedAt = openedAt;
    }

    /** The client's half, for a test that calls it on a thread of its own choice. */
    public AdsTransport.Listener listener() {
      return listener;
    }

    /** When it was opened, on the loop's clock. */
    public Duration openedAt() {
      return openedAt;
    }

    /** How many responses the client is willing to read now. */
    public int permits() {
      return permits;
    }

    public boolean isClosed() {
      return streamClosed;
    }

    /** The requests since the last call of this method. */
    public List<DiscoveryRequest> take() {
      List<DiscoveryRequest> taken = List.copyOf(requests);
      requests.clear();
      return taken;
    }

    /** Attaches the stream to a connection. */
    public Stream ready() {
      isReady = true;
      loop.inside(listener::onReady);
      return this;
    }

    /** Lets what is sent from now on wait, until the next {@link #ready}. */
    public void block() {
      isReady = false;
    }

    /** A response with the next nonce: {@code n1}, {@code n2} and so on. */
    public Stream respond(ResourceType<?> type, String version, Any... resources) {
      return respond(
          DiscoveryResponse.newBuilder()
              .setTypeUrl(type.typeUrl())
              .setVersionInfo(version)
              .addAllResources(Arrays.asList(resources)));
    }

    /** Any response; the nonce is set here. */
    public Stream respond(DiscoveryResponse.Builder response) {
      loop.inside(() -> deliver(response));
      return this;
    }

    /** Like {@link #respond}, for a test that is inside the loop. */
    public void deliver(DiscoveryResponse.Builder response) {
      if (permits == 0) {
        throw new AssertionError("the client did not ask for another response");
      }
      permits--;
      listener.onResponse(response.setNonce("n" + ++nonces).build());
    }

    /** Ends the stream from the server's side. */
    public void closeWith(RpcStatus status) {
      ended = true;
      loop.inside(() -> listener.onClosed(status));
    }

    @Override
    public void send(DiscoveryRequest request) {
      loop.checkInside();
      try {
        requests.add(DiscoveryRequest.parseFrom(request.toByteString())); // as a server reads it
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError("what the client sends is no request", e);
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
      streamClosed = true;
    }
  }
}

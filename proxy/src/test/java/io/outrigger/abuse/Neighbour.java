package io.outrigger.abuse;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.ssl.SslContext;
import io.outrigger.abuse.Calls.Call;
import io.outrigger.base.WaitingClock;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/**
 * An honest app that calls at a fixed rate, whatever becomes of its calls, on a connection of its
 * own that it opens anew when it is closed. A thread of its own sends; another one hears.
 */
final class Neighbour implements AutoCloseable {
  private static final Duration BETWEEN = Duration.ofMillis(10);

  /** As many as a port of {@code --serve} admits; further calls wait, as those of gRPC do. */
  private static final int MAX_STREAMS = 100;

  private final Peers peers = new Peers();
  private final InetSocketAddress address;
  private final Thread thread;
  private volatile Calls calls = new Calls();
  private volatile boolean stopped;
  private Connection connection;

  /**
   * @param tls what its connections use; empty for none
   */
  Neighbour(String name, InetSocketAddress address, Optional<SslContext> tls) {
    this.address = address;
    tls.ifPresent(context -> peers.secure(address, context));
    connection = new Connection();
    thread = new Thread(this::run, name);
    thread.start();
  }

  /** Begins another stretch; calls that begin from now on belong to it. */
  Calls measure() {
    var fresh = new Calls();
    Calls before = calls;
    calls = fresh;
    before.over();
    return fresh;
  }

  private void run() {
    long due = WaitingClock.nanoTime();
    while (!stopped) {
      long left = due - WaitingClock.nanoTime();
      if (left > 0) {
        WaitingClock.sleep(Duration.ofNanos(left + 500_000));
        continue;
      }
      if (connection.isOver()) {
        connection = new Connection();
      }
      connection.call(calls, due);
      due += BETWEEN.toNanos();
    }
  }

  @Override
  public void close() {
    stopped = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    peers.close();
  }

  /** The open calls of one connection. */
  private final class Connection {
    private record Open(Calls calls, Call call) {}

    private final DefaultHttp2HeadersDecoder hpack = new DefaultHttp2HeadersDecoder(false);
    private final Map<Integer, Open> open = new HashMap<>();

    /** Calls that wait for a stream. */
    private final Queue<Open> waiting = new ArrayDeque<>();

    private final Map<Integer, String> outcomes = new HashMap<>();
    private final List<Peer> made = peers.apps(address, 1);

    Connection() {
      made.forEach(peer -> peer.listener((self, frame) -> onFrame(frame)));
    }

    boolean isOver() {
      boolean over = made.isEmpty() || !made.get(0).isOpen() || made.get(0).goAway() != null;
      if (over) {
        endAll();
      }
      return over;
    }

    private synchronized void endAll() {
      open.values().forEach(each -> each.calls.end(each.call, "connection lost"));
      open.clear();
      waiting.forEach(each -> each.calls.end(each.call, "connection lost"));
      waiting.clear();
    }

    synchronized void call(Calls into, long due) {
      Call call = into.begin(due);
      if (made.isEmpty()) {
        into.end(call, "cannot connect");
        return;
      }
      waiting.add(new Open(into, call));
      sendWaiting();
    }

    private void sendWaiting() {
      while (!waiting.isEmpty() && open.size() < MAX_STREAMS) {
        int id = made.get(0).nextId();
        open.put(id, waiting.remove());
        made.get(0)
            .send(
                Frames.headers(
                    id,
                    Frames.END_HEADERS | Frames.END_STREAM,
                    ServingBackend.request(ServingBackend.SMALL)));
      }
    }

    private synchronized void onFrame(Frame frame) {
      if (frame.type() == Frames.HEADERS) {
        outcomes.merge(frame.streamId(), outcome(frame), (first, last) -> last);
      }
      if (frame.type() == Frames.RST_STREAM) {
        outcomes.put(frame.streamId(), "reset");
      }
      if (frame.endsStream() || frame.type() == Frames.RST_STREAM) {
        Open ended = open.remove(frame.streamId());
        String outcome = outcomes.remove(frame.streamId());
        if (ended != null) {
          ended.calls.end(ended.call, outcome == null ? "no head" : outcome);
        }
        sendWaiting();
      }
    }

    private String outcome(Frame frame) {
      try {
        Http2Headers headers =
            hpack.decodeHeaders(frame.streamId(), Unpooled.wrappedBuffer(frame.payload()));
        CharSequence local = headers.get("x-outrigger-local");
        if (local != null) {
          return local.toString();
        }
        CharSequence grpc = headers.get("grpc-status");
        return grpc != null && grpc.toString().equals("0") ? Calls.OK : "grpc-status " + grpc;
      } catch (Http2Exception e) {
        return e.toString();
      }
    }
  }
}

package io.outrigger.endtoend;

import io.outrigger.http2.Http2Error;
import io.outrigger.http2.testing.Frames;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A gRPC server on plain sockets that answers every unary call with its name and is strict about
 * its connections: how many it serves at a time, for how long, and for how many calls.
 */
final class StrictBackend implements AutoCloseable {
  /** What becomes of a connection beyond those that are served. */
  enum Beyond {
    /** It is accepted and closed. */
    CLOSED,
    /** It is accepted, and nothing is ever said on it. */
    SILENT
  }

  /** The limits; the defaults limit nothing. */
  static final class Limits {
    private int connections = Integer.MAX_VALUE;
    private Beyond beyond = Beyond.CLOSED;
    private int streams = Integer.MAX_VALUE;
    private int calls = Integer.MAX_VALUE;
    private Duration age = Duration.ofDays(1);
    private Duration answerTime = Duration.ZERO;
    private boolean refuses;

    /** Serves {@code most} connections at a time. */
    Limits connections(int most, Beyond then) {
      connections = most;
      beyond = then;
      return this;
    }

    /** SETTINGS_MAX_CONCURRENT_STREAMS. */
    Limits streams(int most) {
      streams = most;
      return this;
    }

    /** As nginx: the last call is announced in a GOAWAY at once, what comes later is not read. */
    Limits callsOfAConnection(int most) {
      calls = most;
      return this;
    }

    /** As gRPC: a first GOAWAY for all streams, a PING, a GOAWAY with the last one. */
    Limits ageOfAConnection(Duration most) {
      age = most;
      return this;
    }

    /** Refuses every second call, once it has sent one window of its body. */
    Limits refusingEverySecond() {
      refuses = true;
      return this;
    }

    /** How long an answer takes. */
    Limits answerTime(Duration time) {
      answerTime = time;
      return this;
    }
  }

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int ACK = 1;
  private static final int LEAVE_PING = 0x5eaf;

  private final byte[] message;
  private final Limits limits;
  private final ServerSocket server;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger served = new AtomicInteger();
  private final AtomicInteger everServed = new AtomicInteger();
  private final AtomicInteger turnedAway = new AtomicInteger();
  private final AtomicInteger calls = new AtomicInteger();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(task -> daemon(task));

  StrictBackend(String name, Limits limits) {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    message =
        ByteBuffer.allocate(5 + text.length).put((byte) 0).putInt(text.length).put(text).array();
    this.limits = limits;
    try {
      server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemon(this::accept).start();
  }

  int port() {
    return server.getLocalPort();
  }

  /** How many connections it has served so far. */
  int everServed() {
    return everServed.get();
  }

  /** How many connections came beyond those that it serves. */
  int turnedAway() {
    return turnedAway.get();
  }

  /** How many calls it has been asked, those that it did not read included. */
  int calls() {
    return calls.get();
  }

  private static Thread daemon(Runnable task) {
    var thread = new Thread(task, "strict-backend");
    thread.setDaemon(true);
    return thread;
  }

  private void accept() {
    while (true) {
      try {
        Socket socket = server.accept();
        sockets.add(socket);
        if (served.get() < limits.connections) {
          served.incrementAndGet();
          everServed.incrementAndGet();
          daemon(() -> serve(socket)).start();
        } else {
          turnedAway.incrementAndGet();
          if (limits.beyond == Beyond.CLOSED) {
            socket.close();
          }
        }
      } catch (IOException e) {
        return; // closed by the test
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      new Connection(socket).run();
    } catch (IOException e) {
      // the other side has ended the connection
    } finally {
      served.decrementAndGet();
      sockets.remove(socket);
    }
  }

  @Override
  public void close() throws IOException {
    timer.shutdownNow();
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private final class Connection {
    private final Socket socket;
    private final DataInputStream in;

    // Guarded by this: frames come on one thread, answers and the end on another.
    private final Set<Integer> open = new HashSet<>();
    private int started;
    private int lastStream;
    private boolean leaving;

    /** The call that is to be refused, and how much of its window is left; on one thread. */
    private int refused;

    private int window;

    Connection(Socket socket) throws IOException {
      this.socket = socket;
      in = new DataInputStream(socket.getInputStream());
    }

    void run() throws IOException {
      send(
          limits.streams == Integer.MAX_VALUE
              ? Frames.settings()
              : Frames.settings(Frames.MAX_CONCURRENT_STREAMS, limits.streams));
      later(limits.age, this::growOld);
      in.readNBytes(Frames.PREFACE.length);
      while (true) {
        byte[] head = in.readNBytes(9);
        if (head.length < 9) {
          return;
        }
        ByteBuffer numbers = ByteBuffer.wrap(head);
        int length = numbers.getInt() >>> 8;
        byte[] payload = in.readNBytes(length);
        heard(head[3], head[4] & 0xff, numbers.getInt(5) & 0x7fffffff, payload);
      }
    }

    private void heard(int type, int flags, int stream, byte[] payload) throws IOException {
      switch (type) {
        case SETTINGS -> {
          if ((flags & ACK) == 0) {
            send(Frames.settingsAck());
          }
        }
        case PING -> {
          if ((flags & ACK) == 0) {
            send(Frames.frame(PING, ACK, 0, payload));
          } else if (ByteBuffer.wrap(payload).getLong() == LEAVE_PING) {
            leave();
          }
        }
        case HEADERS -> begin(stream, flags);
        case DATA -> {
          if (payload.length > 0) {
            send(Frames.windowUpdate(0, payload.length));
          }
          if (stream == refused) {
            window -= payload.length;
            refuseIfFull();
          } else {
            if (payload.length > 0) {
              send(Frames.windowUpdate(stream, payload.length));
            }
            endIf(stream, flags);
          }
        }
        case RST_STREAM -> settle(stream);
        default -> {}
      }
    }

    /** The window is left closed for a moment: what waits for it has come to the other side. */
    private void refuseIfFull() {
      int stream = refused;
      if (window == 0) {
        later(
            Duration.ofMillis(50),
            () -> {
              send(Frames.reset(stream, Http2Error.REFUSED_STREAM));
              settle(stream);
            });
      }
    }

    private void begin(int stream, int flags) throws IOException {
      if (calls.incrementAndGet() % 2 == 0 && limits.refuses) {
        refused = stream;
        window = 65_535;
      }
      boolean last;
      synchronized (this) {
        if (leaving) {
          return; // it is above the last stream of the GOAWAY
        }
        open.add(stream);
        lastStream = stream;
        last = ++started >= limits.calls;
      }
      if (last) {
        leave();
      }
      endIf(stream, flags);
    }

    private void endIf(int stream, int flags) throws IOException {
      synchronized (this) {
        if ((flags & Frames.END_STREAM) == 0 || !open.contains(stream)) {
          return;
        }
      }
      if (limits.answerTime.isZero()) {
        answer(stream);
      } else {
        later(limits.answerTime, () -> answer(stream));
      }
    }

    private void answer(int stream) throws IOException {
      send(
          Frames.headers(
              stream, Frames.END_HEADERS, ":status", "200", "content-type", "application/grpc"),
          Frames.data(stream, 0, message),
          Frames.headers(stream, Frames.END_HEADERS | Frames.END_STREAM, "grpc-status", "0"));
      settle(stream);
    }

    private void growOld() throws IOException {
      send(Frames.goAway(Integer.MAX_VALUE, Http2Error.NO_ERROR), Frames.ping(LEAVE_PING));
    }

    private synchronized void leave() throws IOException {
      leaving = true;
      send(Frames.goAway(lastStream, Http2Error.NO_ERROR));
      closeIfDone();
    }

    private synchronized void settle(int stream) throws IOException {
      open.remove(stream);
      closeIfDone();
    }

    /** Ends our direction: the other side closes when it has read everything. */
    private void closeIfDone() throws IOException {
      if (leaving && open.isEmpty() && !socket.isOutputShutdown()) {
        socket.shutdownOutput();
      }
    }

    private synchronized void send(byte[]... parts) throws IOException {
      if (!socket.isOutputShutdown()) {
        socket.getOutputStream().write(Frames.join(parts));
      }
    }
  }

  private interface Task {
    void run() throws IOException;
  }

  private void later(Duration delay, Task task) {
    var unused =
        timer.schedule(
            () -> {
              try {
                task.run();
              } catch (IOException e) {
                // the connection has ended meanwhile
              }
            },
            delay.toNanos(),
            TimeUnit.NANOSECONDS);
  }
}

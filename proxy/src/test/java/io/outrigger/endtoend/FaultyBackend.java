package io.outrigger.endtoend;

import io.outrigger.http2.testing.Frames;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A backend on a plain socket that keeps to HTTP/2 until a call reaches the phase of its fault, and
 * then does what the fault says. It reads what comes and returns all credit, so that nothing but
 * the fault goes wrong.
 */
final class FaultyBackend implements AutoCloseable {
  /** How far a call has come. */
  enum Phase {
    /** The connection is there, nothing was said. */
    CONNECTED,
    /** The request's headers have come. */
    HEADERS,
    /** The first bytes of the request's content have come. */
    MESSAGE,
    /** The request is complete. */
    END
  }

  /** What a fault can do; called on the connection's thread. */
  interface Peer {
    /** Writes bytes as they are. */
    void send(byte[]... parts) throws IOException;

    /** Ends the connection with FIN in both directions. */
    void close() throws IOException;

    /** Ends the connection with a TCP reset. */
    void reset() throws IOException;

    /** Ends our direction alone. */
    void halfClose() throws IOException;
  }

  /** What goes wrong. */
  interface Action {
    /**
     * @param stream the id of the call's stream; 0 at {@link Phase#CONNECTED}
     */
    void perform(Peer peer, int stream) throws IOException;
  }

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int END_STREAM = 1;
  private static final int ACK = 1;

  private final Phase at;
  private final Action action;
  private final ServerSocket server;
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

  FaultyBackend(Phase at, Action action) {
    this.at = at;
    this.action = action;
    try {
      server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  /** Whether the other side has closed, or been closed by a fault on, each of its connections. */
  boolean isDeserted() {
    return connections.isEmpty();
  }

  private static void start(Runnable task) {
    var thread = new Thread(task, "faulty-backend");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (true) {
      Socket socket;
      try {
        socket = server.accept();
      } catch (IOException e) {
        return; // closed by the test
      }
      connections.add(socket);
      start(() -> serve(socket));
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      new Connection(socket).run();
    } catch (IOException e) {
      // the other side or the fault has ended the connection
    } finally {
      connections.remove(socket);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : connections) {
      socket.close();
    }
  }

  private final class Connection implements Peer {
    private final Socket socket;
    private final DataInputStream in;
    private final Set<Integer> acted = new HashSet<>();
    private boolean spoken;

    Connection(Socket socket) throws IOException {
      this.socket = socket;
      in = new DataInputStream(socket.getInputStream());
    }

    void run() throws IOException {
      if (at == Phase.CONNECTED) {
        action.perform(this, 0);
      } else {
        send(Frames.settings());
      }
      in.readNBytes(Frames.PREFACE.length);
      while (true) {
        byte[] head = in.readNBytes(9);
        if (head.length < 9) {
          return;
        }
        ByteBuffer numbers = ByteBuffer.wrap(head);
        int length = numbers.getInt() >>> 8;
        int flags = head[4] & 0xff;
        int stream = numbers.getInt(5) & 0x7fffffff;
        in.skipNBytes(length);
        heard(head[3], flags, stream, length);
      }
    }

    private void heard(int type, int flags, int stream, int length) throws IOException {
      if (!spoken) {
        return; // it was told to be silent
      }
      if (type == SETTINGS && (flags & ACK) == 0) {
        send(Frames.settingsAck());
      } else if (type == PING && (flags & ACK) == 0) {
        send(Frames.frame(PING, ACK, 0, new byte[8]));
      } else if (type == HEADERS) {
        reached(Phase.HEADERS, stream);
      } else if (type == DATA && length > 0) {
        send(Frames.windowUpdate(0, length));
        reached(Phase.MESSAGE, stream);
      }
      if ((type == DATA || type == HEADERS) && (flags & END_STREAM) != 0) {
        reached(Phase.END, stream);
      }
    }

    private void reached(Phase phase, int stream) throws IOException {
      if (phase == at && acted.add(stream)) {
        action.perform(this, stream);
      }
    }

    @Override
    public void send(byte[]... parts) throws IOException {
      spoken = true;
      for (byte[] part : parts) {
        socket.getOutputStream().write(part);
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }

    @Override
    public void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }

    @Override
    public void halfClose() throws IOException {
      socket.shutdownOutput();
    }
  }
}

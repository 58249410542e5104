package io.outrigger.endtoend;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A port of which each client is treated on a thread of its own. */
final class AcceptingPort implements AutoCloseable {
  /** What is done with a client; it may fail when either side leaves. */
  interface Treatment {
    void treat(Socket client) throws IOException;
  }

  private final ServerSocket server;
  private final Treatment treatment;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  AcceptingPort(Treatment treatment) {
    this.treatment = treatment;
    try {
      server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemon(this::accept);
  }

  int number() {
    return server.getLocalPort();
  }

  /** Connects to a backend on loopback; the socket is closed with the port. */
  Socket connect(int backend) throws IOException {
    return connect(InetAddress.getLoopbackAddress(), backend);
  }

  Socket connect(InetAddress host, int backend) throws IOException {
    var socket = new Socket(host, backend);
    sockets.add(socket);
    return socket;
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        sockets.add(client);
        daemon(() -> treat(client));
      }
    } catch (IOException closed) {
      return; // the end of the test
    }
  }

  private void treat(Socket client) {
    try {
      treatment.treat(client);
    } catch (IOException gone) {
      return; // either side left
    }
  }

  /** Passes on what comes, until either side ends. */
  static void pipe(Socket from, Socket to) {
    try (from;
        to) {
      OutputStream out = to.getOutputStream();
      byte[] bytes = new byte[8192];
      int count;
      while ((count = from.getInputStream().read(bytes)) >= 0) {
        out.write(bytes, 0, count);
      }
    } catch (IOException gone) {
      return; // the tunnel ends with either side
    }
  }

  static void daemon(Runnable task) {
    var thread = new Thread(task, "accepting-port");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}

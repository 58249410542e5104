package io.outrigger.proxy.endtoend;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An HTTP/1.1 proxy that answers CONNECT: with a tunnel, or with a status. */
final class HttpProxy implements AutoCloseable {
  private static final String AGREED = "200 OK";

  private final ServerSocket server;
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private volatile String status = AGREED;

  HttpProxy() {
    try {
      server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemon(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  /** From now on the answer to CONNECT, such as {@code 403 Forbidden}. */
  void answers(String with) {
    status = with;
  }

  void agrees() {
    status = AGREED;
  }

  /** The first line of each request. */
  List<String> asked() {
    return List.copyOf(asked);
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        sockets.add(client);
        daemon(() -> serve(client));
      }
    } catch (IOException closed) {
      return; // the end of the test
    }
  }

  private void serve(Socket client) {
    try {
      String head = head(client.getInputStream());
      String first = head.lines().findFirst().orElse("");
      asked.add(first);
      String answer = status;
      client
          .getOutputStream()
          .write(("HTTP/1.1 " + answer + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
      if (!answer.equals(AGREED)) {
        client.close();
        return;
      }
      String target = first.split(" ", -1)[1];
      int colon = target.lastIndexOf(':');
      var backend =
          new Socket(
              InetAddress.getByName(target.substring(0, colon)),
              Integer.parseInt(target.substring(colon + 1)));
      sockets.add(backend);
      daemon(() -> pipe(backend, client));
      pipe(client, backend);
    } catch (IOException gone) {
      return; // either side left
    }
  }

  private static String head(InputStream in) throws IOException {
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("no request");
      }
      head.append((char) next);
    }
    return head.toString();
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
    var thread = new Thread(task, "http-proxy");
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

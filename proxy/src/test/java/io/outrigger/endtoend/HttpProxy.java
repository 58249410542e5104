package io.outrigger.endtoend;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An HTTP/1.1 proxy that answers CONNECT: with a tunnel, or with a status. */
final class HttpProxy implements AutoCloseable {
  private static final String AGREED = "200 OK";

  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final AcceptingPort port = new AcceptingPort(this::serve);
  private volatile String status = AGREED;

  int port() {
    return port.number();
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

  private void serve(Socket client) throws IOException {
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
    Socket backend =
        port.connect(
            InetAddress.getByName(target.substring(0, colon)),
            Integer.parseInt(target.substring(colon + 1)));
    AcceptingPort.daemon(() -> AcceptingPort.pipe(backend, client));
    AcceptingPort.pipe(client, backend);
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

  @Override
  public void close() throws IOException {
    port.close();
  }
}

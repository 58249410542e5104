package io.outrigger.endtoend;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.base.WaitingClock;
import io.outrigger.testing.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Reads {@code /events} as a browser would, one event at a time. */
final class EventReader implements AutoCloseable {
  private final Socket socket;
  private final BufferedReader lines;

  EventReader(InetSocketAddress admin, String query, String... headers) {
    try {
      socket = new Socket(admin.getAddress(), admin.getPort());
      socket.setSoTimeout((int) Await.PATIENCE.toMillis());
      String request =
          "GET /events"
              + query
              + " HTTP/1.1\r\nHost: 127.0.0.1:"
              + admin.getPort()
              + "\r\n"
              + String.join("", headers)
              + "\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next event; chunk sizes and comments on the way are passed over. */
  JsonObject next() {
    try {
      long deadline = WaitingClock.nanoTime() + Await.PATIENCE.toNanos();
      String line;
      while ((line = lines.readLine()) != null && WaitingClock.nanoTime() < deadline) {
        if (line.startsWith("data: ")) {
          return JsonParser.parseString(line.substring(6)).getAsJsonObject();
        }
      }
      throw new AssertionError("no further event came");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next event of a kind. */
  JsonObject next(String kind) {
    while (true) {
      JsonObject event = next();
      if (event.get("kind").getAsString().equals(kind)) {
        return event;
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

package io.outrigger.endtoend;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.testing.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A client of the admin server that writes its requests by hand, rude ones too. */
final class Admin {
  /** An answer. */
  record Answer(int status, String headers, String body) {
    JsonElement json() {
      return JsonParser.parseString(body);
    }

    JsonObject object() {
      return json().getAsJsonObject();
    }

    JsonArray array() {
      return json().getAsJsonArray();
    }
  }

  private final InetSocketAddress address;

  Admin(InetSocketAddress address) {
    this.address = address;
  }

  /** {@code 127.0.0.1:port}. */
  String host() {
    return "127.0.0.1:" + address.getPort();
  }

  Answer get(String path) {
    return send("GET " + path, "Host: " + host());
  }

  Answer post(String path) {
    return send("POST " + path, "Host: " + host(), "Content-Type: application/json");
  }

  /** Sends a request without a body and reads the answer to its end. */
  Answer send(String methodAndPath, String... headers) {
    try (var socket = new Socket(address.getAddress(), address.getPort())) {
      socket.setSoTimeout((int) Await.PATIENCE.toMillis());
      String request =
          methodAndPath
              + " HTTP/1.1\r\n"
              + String.join("\r\n", headers)
              + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int body = all.indexOf("\r\n\r\n");
      String head = all.substring(0, body).toLowerCase(Locale.ROOT);
      return new Answer(Integer.parseInt(head.substring(9, 12)), head, all.substring(body + 4));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The sum of a metric that has labels. */
  double metric(String name) {
    return get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }
}

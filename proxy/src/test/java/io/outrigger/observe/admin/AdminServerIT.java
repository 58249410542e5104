package io.outrigger.observe.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the admin server says to requests that it cannot serve. */
@Timeout(600)
final class AdminServerIT {
  private static final int LIMIT = 64 << 10;
  private static final int BEYOND = LIMIT + 1;

  private final AdminServer server;

  AdminServerIT() throws IOException {
    AdminEndpoint ok = request -> CompletableFuture.completedFuture(AdminReply.text(200, "ok"));
    server =
        AdminServer.start(
            AdminServer.Audience.OPERATORS,
            new InetSocketAddress(
                InetAddress.getByAddress("orders.test", new byte[] {127, 0, 0, 1}), 0),
            Map.of("GET /look", ok, "POST /act", ok, "GET /both", ok, "POST /both", ok),
            new ReplyQueue(),
            new AdminBudget(1 << 20));
  }

  @AfterEach
  void close() {
    server.close();
  }

  private record Answer(int status, String head, String body) {}

  /** Sends {@code requests} as they are and reads until the server closes. */
  private Answer exchange(String requests) throws IOException {
    try (var socket = new Socket(server.address().getAddress(), server.address().getPort())) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(requests.getBytes(StandardCharsets.ISO_8859_1));
      String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int end = all.indexOf("\r\n\r\n");
      String head = all.substring(0, end).toLowerCase(Locale.ROOT);
      return new Answer(Integer.parseInt(head.substring(9, 12)), head, all.substring(end + 4));
    }
  }

  private static String request(String line, String... headers) {
    return line
        + " HTTP/1.1\r\nHost: localhost\r\n"
        + String.join("", headers)
        + "Connection: close\r\n\r\n";
  }

  @ParameterizedTest(name = "{0} {1} -> {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "POST | /look | GET, HEAD",
        "PUT | /look | GET, HEAD",
        "DELETE | /act | POST",
        "GET | /act | POST",
        "HEAD | /act | POST",
        "OPTIONS | /both | GET, HEAD, POST",
        "BREW | /both | GET, HEAD, POST",
      })
  void anotherMethodIsToldWhichThereAre(String method, String path, String allow) throws Exception {
    Answer answer = exchange(request(method + " " + path, "Content-Type: application/json\r\n"));

    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.head()).contains("\r\nallow: " + allow.toLowerCase(Locale.ROOT));
    assertThat(answer.body())
        .isEqualTo(method.equals("HEAD") ? "" : "this endpoint takes " + allow + "\n");
  }

  @Test
  void anUnknownPathIsNotFoundWhateverTheMethod() throws Exception {
    Answer answer = exchange(request("DELETE /nothing"));

    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.head()).doesNotContain("\r\nallow:");
  }

  @Test
  void aBodyTooLongIsRefused() throws Exception {
    Answer answer =
        exchange(
            request(
                "POST /act",
                "Content-Type: application/json\r\n",
                "Content-Length: " + BEYOND + "\r\n"));

    assertThat(answer.status()).isEqualTo(413);
  }

  @Test
  void aRequestLineTooLongIsRefused() throws Exception {
    Answer answer = exchange(request("GET /look?a=" + "x".repeat(LIMIT)));

    assertThat(answer.status()).isEqualTo(414);
    assertThat(answer.body()).isEqualTo("the request line is longer than 65536 bytes\n");
  }

  @Test
  void headersTooLongAreRefused() throws Exception {
    Answer answer = exchange(request("GET /look", "Cookie: " + "x".repeat(LIMIT) + "\r\n"));

    assertThat(answer.status()).isEqualTo(431);
    assertThat(answer.body()).isEqualTo("the headers are too long; send fewer cookies\n");
  }

  @Test
  void whatIsNoHttpIsABadRequest() throws Exception {
    assertThat(exchange("\u0016\u0003\u0001 what\r\n\r\n").status()).isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource({"localhost, 200", "Orders.test:9901, 200", "other.test, 403", "orders.test.x, 403"})
  void theHostMayBeTheNameToWhichTheServerIsBound(String host, int status) throws Exception {
    String request = request("GET /look").replace("localhost", host);

    assertThat(exchange(request).status()).isEqualTo(status);
  }
}

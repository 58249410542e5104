package io.outrigger.program.cli;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.outrigger.base.PlainText;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.program.options.Flag;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.StartFailure;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A blocking HTTP client for the admin server of a running sidecar, called on the thread of a
 * command.
 *
 * <p>The client uses {@link HttpURLConnection}, because a request by {@code java.net.http} takes
 * ten times the CPU time. {@code outrigger wait} is a health check that runs every few seconds.
 */
record AdminClient(ListenAddress.Tcp address) {
  private static final String DEFAULT_ADDRESS = "127.0.0.1:9901";
  private static final int CONNECT_MILLIS = 5000;
  private static final Duration READ_TIMEOUT = Duration.ofSeconds(15);
  private static final Map<String, String> LOOPBACK_OF_WILDCARD =
      Map.of("0.0.0.0", "127.0.0.1", "::", "::1");

  record Reply(int status, String body) {}

  /**
   * Returns a client of the sidecar's admin address. The address is the value of {@code --admin} if
   * given, otherwise {@code $OUTRIGGER_ADMIN} if set, otherwise 127.0.0.1:9901.
   */
  static AdminClient of(Optional<String> flag, Map<String, String> environment)
      throws InvalidInput {
    String variable = environment.getOrDefault(Flag.ADMIN.variable(), "");
    String origin =
        flag.isEmpty() && !variable.isEmpty() ? Flag.ADMIN.variable() : Flag.ADMIN.option();
    String text = flag.orElse(variable.isEmpty() ? DEFAULT_ADDRESS : variable);
    ListenAddress.Tcp address = InvalidInput.read(origin, text, ListenAddress::parseTcp);
    if (address.port() == 0) {
      throw new InvalidInput(origin + ": give the port that the sidecar really has, not 0");
    }
    return new AdminClient(
        new ListenAddress.Tcp(
            LOOPBACK_OF_WILDCARD.getOrDefault(address.host(), address.host()), address.port()));
  }

  /**
   * @throws StartFailure with the reason in one line, when there is no reply
   */
  Reply get(String path) throws StartFailure {
    return get(path, READ_TIMEOUT);
  }

  /**
   * Like {@link #get(String)}, but waits at most {@code limit} for the connection and for each
   * read.
   */
  Reply get(String path, Duration limit) throws StartFailure {
    int millis = (int) Math.min(limit.toMillis(), READ_TIMEOUT.toMillis());
    try {
      URI uri = URI.create("http://" + address + path);
      HttpURLConnection http = (HttpURLConnection) uri.toURL().openConnection(Proxy.NO_PROXY);
      http.setConnectTimeout(Math.min(millis, CONNECT_MILLIS));
      http.setReadTimeout(millis);
      http.setInstanceFollowRedirects(false);
      int status = http.getResponseCode();
      if (status < 0) {
        throw new IOException("not HTTP");
      }
      return new Reply(status, body(http, status));
    } catch (IOException e) {
      String reason =
          e instanceof ConnectException ? "cannot connect" : String.valueOf(e.getMessage());
      throw failure("no answer (" + reason + "); is the sidecar running there?", e);
    }
  }

  /**
   * @throws StartFailure when there is no reply, or the status of the reply is not 200
   */
  String body(String path) throws StartFailure {
    return body(path, get(path));
  }

  /** Returns the body of a reply, which must have the status 200. */
  String body(String path, Reply reply) throws StartFailure {
    if (reply.status() != 200) {
      throw failure(
          "GET " + path + " was answered with " + reply.status() + "; is that an Outrigger?",
          new IllegalStateException(reply.body()));
    }
    return reply.body();
  }

  /**
   * Runs a function that parses a reply.
   *
   * @throws StartFailure when the reply has an unexpected form
   */
  <T> T read(Supplier<T> reader) throws StartFailure {
    try {
      return reader.get();
    } catch (JsonParseException e) {
      throw failure("its answer is not that of an Outrigger admin server", e);
    }
  }

  /** Returns the lines that a command prints: the body as JSON, or an outline of the body. */
  List<String> lines(String body, boolean json) throws StartFailure {
    if (json) {
      return PlainText.ofJson(body).lines().toList();
    }
    List<String> outline = read(() -> Outline.of(JsonParser.parseString(body)));
    return outline.isEmpty() ? List.of("none") : outline;
  }

  private static String body(HttpURLConnection http, int status) throws IOException {
    try (InputStream body = status < 400 ? http.getInputStream() : http.getErrorStream()) {
      return body == null ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  StartFailure failure(String message, Throwable cause) {
    return new StartFailure(Flag.ADMIN.option() + " " + address + ": " + message, cause);
  }
}

package io.outrigger.proxy.cli;

import io.outrigger.proxy.options.Flag;
import io.outrigger.proxy.options.InvalidInput;
import io.outrigger.proxy.options.ListenAddress;
import io.outrigger.proxy.options.StartFailure;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Asks the admin server of a running sidecar. Blocks; for the commands' own threads. */
final class AdminClient {
  private static final String USUAL_ADDRESS = "127.0.0.1:9901";
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);
  private static final Map<String, String> REACHABLE = Map.of("0.0.0.0", "127.0.0.1", "::", "::1");

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .proxy(HttpClient.Builder.NO_PROXY)
          .connectTimeout(CONNECT_TIMEOUT)
          .build();
  private final ListenAddress.Tcp address;

  private AdminClient(ListenAddress.Tcp address) {
    this.address = address;
  }

  /** An answer with any status. */
  record Reply(int status, String body) {}

  /**
   * A client of the sidecar at {@code flag}, else at {@code $OUTRIGGER_ADMIN}, else at the usual
   * address.
   */
  static AdminClient of(Optional<String> flag, Map<String, String> environment)
      throws InvalidInput {
    String variable = environment.getOrDefault(Flag.ADMIN.variable(), "");
    String origin =
        flag.isEmpty() && !variable.isEmpty() ? Flag.ADMIN.variable() : Flag.ADMIN.option();
    String text = flag.orElse(variable.isEmpty() ? USUAL_ADDRESS : variable);
    ListenAddress.Tcp address = FlagValue.read(origin, text, ListenAddress::parseTcp);
    if (address.port() == 0) {
      throw new InvalidInput(
          List.of(origin + ": give the port that the sidecar really has, not 0"));
    }
    return new AdminClient(
        new ListenAddress.Tcp(
            REACHABLE.getOrDefault(address.host(), address.host()), address.port()));
  }

  /**
   * Asks for {@code path}.
   *
   * @throws StartFailure when nobody answers, with a line that says so
   */
  Reply get(String path) throws StartFailure, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + address + path))
            .timeout(ANSWER_TIMEOUT)
            .build();
    try {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      return new Reply(response.statusCode(), response.body());
    } catch (IOException e) {
      String reason =
          e instanceof ConnectException ? "cannot connect" : String.valueOf(e.getMessage());
      throw failure("no answer (" + reason + "); is the sidecar running there?", e);
    }
  }

  /** A failure that names this server. */
  StartFailure failure(String message, Throwable cause) {
    return new StartFailure(Flag.ADMIN.option() + " " + address + ": " + message, cause);
  }
}

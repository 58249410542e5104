package io.outrigger.endtoend;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The API of a cluster in which there is nothing, and into which nothing may be written: enough for
 * a program that will not start without one. Watches stand until the end. A token {@code
 * token-of/NAMESPACE/ACCOUNT} is one of that service account.
 */
final class EmptyKubernetes implements AutoCloseable {
  private static final Pattern TOKEN = Pattern.compile("\"token-of/([a-z]+)/([a-z]+)\"");

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final HttpServer server;

  EmptyKubernetes() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  String kubeconfig() {
    return """
        apiVersion: v1
        kind: Config
        clusters: [{name: empty, cluster: {server: "http://127.0.0.1:%d"}}]
        users: [{name: nobody, user: {}}]
        contexts: [{name: empty, context: {cluster: empty, user: nobody}}]
        current-context: empty
        """
        .formatted(server.getAddress().getPort());
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      String query = String.valueOf(exchange.getRequestURI().getQuery());
      if (path.endsWith("/tokenreviews")) {
        send(exchange, 201, review(exchange.getRequestBody().readAllBytes()));
      } else if (!exchange.getRequestMethod().equals("GET")) {
        send(exchange, 403, failure("Forbidden", 403));
      } else if (query.contains("sendInitialEvents=true")) {
        send(exchange, 422, failure("Invalid", 422)); // then it lists, and watches from there
      } else if (query.contains("watch=true")) {
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        exchange.getResponseBody().flush();
        ended.await();
      } else if (path.equals("/version")) {
        send(exchange, 200, "{\"major\":\"1\",\"minor\":\"34\",\"gitVersion\":\"v1.34.0\"}");
      } else if (path.equals("/api")) {
        send(exchange, 200, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
      } else if (path.equals("/apis")) {
        send(exchange, 200, "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[]}");
      } else {
        send(
            exchange,
            200,
            """
            {"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}""");
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private static String review(byte[] request) {
    Matcher token = TOKEN.matcher(new String(request, StandardCharsets.UTF_8));
    String status =
        !token.find()
            ? "\"authenticated\":false"
            : """
            "authenticated":true,"audiences":["istio-ca"],"user":{
              "username":"system:serviceaccount:%s:%s","groups":["system:serviceaccounts"]}"""
                .formatted(token.group(1), token.group(2));
    return """
        {"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","spec":{"token":""},"status":{%s}}"""
        .formatted(status);
  }

  private static String failure(String reason, int code) {
    return """
        {"kind":"Status","apiVersion":"v1","status":"Failure","reason":"%s","code":%d}"""
        .formatted(reason, code);
  }

  private static void send(HttpExchange exchange, int status, String json) throws IOException {
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    ended.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}

package io.outrigger.program.testing.browser;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.base.AnyThread;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A connection to a browser in its DevTools protocol: commands that are answered, and events. */
@AnyThread
final class DevTools implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private final AtomicInteger ids = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonObject>> waiting = new ConcurrentHashMap<>();
  private final Map<String, Consumer<JsonObject>> sessions = new ConcurrentHashMap<>();
  private final WebSocket socket;

  public DevTools(String uri) {
    socket =
        await(
            HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(uri), new Listener()));
  }

  /** Hears the events of a session, on the socket's thread. */
  public void listen(String session, Consumer<JsonObject> listener) {
    sessions.put(session, listener);
  }

  /**
   * Sends a command and waits for its answer.
   *
   * @param session empty for the browser itself
   */
  public JsonObject send(String session, String method, JsonObject parameters) {
    int id = ids.incrementAndGet();
    var command = new JsonObject();
    command.addProperty("id", id);
    command.addProperty("method", method);
    command.add("params", parameters);
    if (!session.isEmpty()) {
      command.addProperty("sessionId", session);
    }
    var answer = new CompletableFuture<JsonObject>();
    waiting.put(id, answer);
    synchronized (socket) { // one text at a time
      await(socket.sendText(command.toString(), true));
    }
    JsonObject result = await(answer);
    if (result.has("error")) {
      throw new AssertionError(method + ": " + result.get("error"));
    }
    return result.getAsJsonObject("result");
  }

  public static <T> T await(CompletableFuture<T> future) {
    try {
      return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("the browser does not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    socket.abort();
  }

  private final class Listener implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
      text.append(part);
      if (last) {
        JsonObject message = JsonParser.parseString(text.toString()).getAsJsonObject();
        text.setLength(0);
        hear(message);
      }
      from.request(1);
      return CompletableFuture.completedFuture(null);
    }

    private void hear(JsonObject message) {
      if (message.has("id")) {
        CompletableFuture<JsonObject> answer = waiting.remove(message.get("id").getAsInt());
        if (answer != null) {
          answer.complete(message);
        }
      } else if (message.has("sessionId")) {
        Consumer<JsonObject> listener = sessions.get(message.get("sessionId").getAsString());
        if (listener != null) {
          listener.accept(message);
        }
      }
    }
  }
}

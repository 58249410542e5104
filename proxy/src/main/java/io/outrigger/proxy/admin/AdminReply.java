package io.outrigger.proxy.admin;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import io.outrigger.base.AnyThread;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An answer of the admin server. */
@AnyThread
public final class AdminReply {
  private static final Gson JSON =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().serializeNulls().create();

  private final int status;
  private final String contentType;
  private final byte[] body;
  private final @Nullable EventFeed feed;

  /** Takes ownership of {@code body}. */
  public AdminReply(int status, String contentType, byte[] body) {
    this(status, contentType, body, null);
  }

  private AdminReply(int status, String contentType, byte[] body, @Nullable EventFeed feed) {
    this.status = status;
    this.contentType = contentType;
    this.body = body;
    this.feed = feed;
  }

  /** Server-sent events for as long as the reader stays. */
  public static AdminReply events(EventFeed feed) {
    return new AdminReply(200, "text/event-stream", new byte[0], feed);
  }

  private static AdminReply ofJson(int status, JsonElement value) {
    return new AdminReply(
        status,
        "application/json; charset=utf-8",
        (JSON.toJson(value) + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** Records, maps, lists, texts and numbers as JSON. */
  public static AdminReply json(int status, Object value) {
    return ofJson(status, JSON.toJsonTree(value));
  }

  static AdminReply json(JsonElement value) {
    return ofJson(200, value);
  }

  public static AdminReply text(int status, String text) {
    return new AdminReply(
        status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
  }

  public int status() {
    return status;
  }

  public String contentType() {
    return contentType;
  }

  /** Where events come from; empty for an answer that ends. */
  Optional<EventFeed> feed() {
    return Optional.ofNullable(feed);
  }

  /** The bytes; do not modify. */
  byte[] body() {
    return body;
  }
}

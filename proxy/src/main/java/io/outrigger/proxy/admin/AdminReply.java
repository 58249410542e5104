package io.outrigger.proxy.admin;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import io.outrigger.base.AnyThread;
import io.outrigger.base.PlainText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/** An answer of the admin server. */
@AnyThread
public final class AdminReply {
  private final int status;
  private final String contentType;
  private final byte[] body;
  private final Optional<byte[]> gzip;
  private final Optional<EventFeed> feed;

  /** Takes ownership of {@code body}. */
  public AdminReply(int status, String contentType, byte[] body) {
    this(status, contentType, body, Optional.empty(), Optional.empty());
  }

  private AdminReply(
      int status,
      String contentType,
      byte[] body,
      Optional<byte[]> gzip,
      Optional<EventFeed> feed) {
    this.status = status;
    this.contentType = contentType;
    this.body = body;
    this.gzip = gzip;
    this.feed = feed;
  }

  /** Server-sent events for as long as the reader stays. */
  public static AdminReply events(EventFeed feed) {
    return new AdminReply(
        200, "text/event-stream", new byte[0], Optional.empty(), Optional.of(feed));
  }

  /** The same answer, compressed once for all who can read it so: for what never changes. */
  AdminReply compressed() {
    var bytes = new ByteArrayOutputStream();
    try (var stream = new GZIPOutputStream(bytes)) {
      stream.write(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail to be written to
    }
    return new AdminReply(status, contentType, body, Optional.of(bytes.toByteArray()), feed);
  }

  private static AdminReply ofJson(int status, JsonElement value) {
    return new AdminReply(
        status,
        "application/json; charset=utf-8",
        PlainText.ofJson(Json.WRITER.toJson(value) + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** The same on one line: for what is polled and too long to be read by people. */
  static AdminReply compactJson(JsonElement value) {
    return new AdminReply(
        200,
        "application/json; charset=utf-8",
        (Json.COMPACT.toJson(value) + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** Records, maps, lists, texts and numbers as JSON. */
  public static AdminReply json(int status, Object value) {
    return ofJson(status, Json.WRITER.toJsonTree(value));
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
    return feed;
  }

  /** Made for the first answer, not for the start. */
  private static final class Json {
    static final Gson WRITER =
        new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().serializeNulls().create();

    static final Gson COMPACT = new GsonBuilder().disableHtmlEscaping().serializeNulls().create();
  }

  /** The bytes; do not modify. */
  byte[] body() {
    return body;
  }

  /** The bytes in gzip's form, where there is one; do not modify. */
  Optional<byte[]> gzip() {
    return gzip;
  }
}

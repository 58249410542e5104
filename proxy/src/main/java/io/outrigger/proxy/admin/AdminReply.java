package io.outrigger.proxy.admin;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import io.outrigger.base.AnyThread;
import java.nio.charset.StandardCharsets;

/** An answer of the admin server. */
@AnyThread
public final class AdminReply {
  private final int status;
  private final String contentType;
  private final byte[] body;

  /** Takes ownership of {@code body}. */
  public AdminReply(int status, String contentType, byte[] body) {
    this.status = status;
    this.contentType = contentType;
    this.body = body;
  }

  private static AdminReply ofJson(int status, JsonElement value) {
    return new AdminReply(
        status,
        "application/json; charset=utf-8",
        (Json.WRITER.toJson(value) + "\n").getBytes(StandardCharsets.UTF_8));
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

  /** Made for the first answer, not for the start. */
  private static final class Json {
    static final Gson WRITER =
        new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().serializeNulls().create();
  }

  /** The bytes; do not modify. */
  byte[] body() {
    return body;
  }
}

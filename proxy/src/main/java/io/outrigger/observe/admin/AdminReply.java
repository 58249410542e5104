package io.outrigger.observe.admin;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.stream.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.outrigger.base.AnyThread;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/** An answer of the admin server. */
@AnyThread
public final class AdminReply {
  private static final String JSON = "application/json; charset=utf-8";
  private static final String TEXT = "text/plain; charset=utf-8";

  private final int status;
  private final String contentType;
  private final ByteBuf body;
  private final Optional<byte[]> gzip;
  private final Optional<EventFeed> feed;
  private final String allow;

  /** Takes ownership of {@code body}. */
  public AdminReply(int status, String contentType, byte[] body) {
    this(status, contentType, Unpooled.wrappedBuffer(body));
  }

  /** Takes ownership of {@code body}, which goes out once. */
  public AdminReply(int status, String contentType, ByteBuf body) {
    this(status, contentType, body, Optional.empty(), Optional.empty(), "");
  }

  private AdminReply(
      int status,
      String contentType,
      ByteBuf body,
      Optional<byte[]> gzip,
      Optional<EventFeed> feed,
      String allow) {
    this.status = status;
    this.contentType = contentType;
    this.body = body;
    this.gzip = gzip;
    this.feed = feed;
    this.allow = allow;
  }

  /** Server-sent events for as long as the reader stays. */
  public static AdminReply events(EventFeed feed) {
    return new AdminReply(
        200, "text/event-stream", Unpooled.EMPTY_BUFFER, Optional.empty(), Optional.of(feed), "");
  }

  /** The same answer, compressed once for all who can read it so: for what never changes. */
  AdminReply compressed() {
    var bytes = new ByteArrayOutputStream();
    try (var stream = new GZIPOutputStream(bytes)) {
      stream.write(ByteBufUtil.getBytes(body));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail to be written to
    }
    return new AdminReply(
        status,
        contentType,
        Unpooled.unreleasableBuffer(body),
        Optional.of(bytes.toByteArray()),
        feed,
        allow);
  }

  /** Writes one document. */
  interface Document {
    void writeTo(JsonWriter json) throws IOException;
  }

  /**
   * A document that is written at once, to memory outside of the heap.
   *
   * @param isForPeople whether it is laid out on lines, which is most of the bytes of a long one
   */
  static AdminReply json(int status, boolean isForPeople, Document document) {
    try (var bytes = new PieceStream()) {
      var json = new JsonWriter(bytes.json());
      json.setIndent(isForPeople ? "  " : "");
      document.writeTo(json);
      bytes.write('\n');
      return new AdminReply(status, JSON, bytes.take());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail to be written to
    }
  }

  /** Records, maps, lists, texts and numbers as JSON. */
  public static AdminReply json(int status, Object value) {
    return json(status, true, json -> write(value, json));
  }

  static AdminReply json(JsonElement value) {
    return json(200, value);
  }

  /**
   * Writes a value of the kinds that {@link #json(int, Object)} takes as the next of a document.
   */
  static void write(Object value, JsonWriter json) {
    Json.WRITER.toJson(value, value.getClass(), json);
  }

  public static AdminReply text(int status, String text) {
    return new AdminReply(status, TEXT, (text + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** To a method that an endpoint does not have: which it has (RFC 9110 section 15.5.6). */
  static AdminReply notAllowed(boolean hasGet, boolean hasPost) {
    String allow = hasGet ? hasPost ? "GET, HEAD, POST" : "GET, HEAD" : "POST";
    byte[] text = ("this endpoint takes " + allow + "\n").getBytes(StandardCharsets.UTF_8);
    return new AdminReply(
        405, TEXT, Unpooled.wrappedBuffer(text), Optional.empty(), Optional.empty(), allow);
  }

  public int status() {
    return status;
  }

  public String contentType() {
    return contentType;
  }

  /** The methods that the endpoint has, where another one was asked for; else empty. */
  String allow() {
    return allow;
  }

  /** Where events come from; empty for an answer that ends. */
  Optional<EventFeed> feed() {
    return feed;
  }

  /** Made for the first answer, not for the start. */
  private static final class Json {
    static final Gson WRITER = new GsonBuilder().disableHtmlEscaping().serializeNulls().create();
  }

  /** The bytes; whoever asks releases them. Once only, but of an answer that is compressed. */
  ByteBuf body() {
    return gzip.isPresent() ? body.duplicate() : body;
  }

  /** The bytes in gzip's form, where there is one; whoever asks releases them. */
  Optional<ByteBuf> gzip() {
    return gzip.map(Unpooled::wrappedBuffer);
  }
}

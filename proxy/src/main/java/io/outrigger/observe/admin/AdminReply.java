package io.outrigger.observe.admin;

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

/** A reply of the admin server. */
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

  /** Creates a reply that owns {@code body}. */
  public AdminReply(int status, String contentType, byte[] body) {
    this(status, contentType, Unpooled.wrappedBuffer(body));
  }

  /** Creates a reply that owns {@code body} and can be sent once. */
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

  /** Returns a reply of server-sent events, which lasts until the client disconnects. */
  public static AdminReply events(EventFeed feed) {
    return new AdminReply(
        200, "text/event-stream", Unpooled.EMPTY_BUFFER, Optional.empty(), Optional.of(feed), "");
  }

  /**
   * Returns this reply with a compressed copy of its body, for clients that accept gzip. Only
   * replies that never change are compressed.
   */
  AdminReply compressed() {
    var bytes = new ByteArrayOutputStream();
    try (var stream = new GZIPOutputStream(bytes)) {
      stream.write(ByteBufUtil.getBytes(body));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory streams do not fail
    }
    return new AdminReply(
        status,
        contentType,
        Unpooled.unreleasableBuffer(body),
        Optional.of(bytes.toByteArray()),
        feed,
        allow);
  }

  /** Writes one JSON document. */
  interface Document {
    void writeTo(JsonWriter json) throws IOException;
  }

  /**
   * Returns a reply with a document that is written at once, to memory outside the heap.
   *
   * @param isForPeople whether the document is indented, which makes up most bytes of a long
   *     document
   */
  static AdminReply json(int status, boolean isForPeople, Document document) {
    try (var bytes = new PieceStream()) {
      var json = new JsonWriter(bytes.json());
      json.setIndent(isForPeople ? "  " : "");
      document.writeTo(json);
      bytes.write('\n');
      return new AdminReply(status, JSON, bytes.take());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory streams do not fail
    }
  }

  /** Returns a reply with records, maps, lists, texts and numbers as JSON ({@link Json}). */
  public static AdminReply json(int status, Object value) {
    return json(status, true, json -> Json.write(value, json));
  }

  static AdminReply json(JsonElement value) {
    return json(200, value);
  }

  public static AdminReply text(int status, String text) {
    return new AdminReply(status, TEXT, (text + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns the reply to a method that an endpoint does not have; it lists the endpoint's methods
   * (RFC 9110 section 15.5.6).
   */
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

  /** The methods of the endpoint, in a reply with status 405; empty in other replies. */
  String allow() {
    return allow;
  }

  /** The source of the events; empty for a reply that is not a stream. */
  Optional<EventFeed> feed() {
    return feed;
  }

  /**
   * Returns the body, which the caller releases. Without a compressed copy, it can be called only
   * once.
   */
  ByteBuf body() {
    return gzip.isPresent() ? body.duplicate() : body;
  }

  /** Returns the compressed body, if there is one; the caller releases it. */
  Optional<ByteBuf> gzip() {
    return gzip.map(Unpooled::wrappedBuffer);
  }
}

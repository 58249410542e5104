package io.outrigger.observe.admin;

import com.google.gson.stream.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.outrigger.base.PlainText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A reply of the admin server. The reply owns its body and is sent once.
 *
 * @param feed the source of the events; empty for a reply that is not a stream
 * @param headers the headers of this reply, besides the headers that all replies have
 */
public record AdminReply(
    int status,
    String contentType,
    ByteBuf body,
    Optional<EventFeed> feed,
    Map<String, String> headers) {
  private static final String JSON = "application/json; charset=utf-8";
  private static final String TEXT = "text/plain; charset=utf-8";

  /**
   * The content security policy of the page. Only the page's own files are loaded; inline scripts
   * do not run; no script may turn text into markup.
   */
  private static final String CONTENT_SECURITY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  public AdminReply(int status, String contentType, byte[] body) {
    this(status, contentType, Unpooled.wrappedBuffer(body), Optional.empty(), Map.of());
  }

  public static AdminReply events(EventFeed feed) {
    return new AdminReply(
        200, "text/event-stream", Unpooled.EMPTY_BUFFER, Optional.of(feed), Map.of());
  }

  public interface Body {
    void writeTo(OutputStream out) throws IOException;
  }

  /**
   * Writes a body to direct buffers, and returns a reply with this body. On the heap, a reply of
   * several megabytes would fill the old generation, because it does not fit into the young
   * generation. Collections of the old generation pause every event loop (decision proxy-0016).
   */
  public static AdminReply written(int status, String contentType, Body body) {
    CompositeByteBuf bytes = ByteBufAllocator.DEFAULT.compositeDirectBuffer(Integer.MAX_VALUE);
    boolean isWritten = false;
    try (var out = new ByteBufOutputStream(bytes)) {
      body.writeTo(out);
      isWritten = true;
      return new AdminReply(status, contentType, bytes, Optional.empty(), Map.of());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a stream in memory does not fail
    } finally {
      if (!isWritten) {
        bytes.release();
      }
    }
  }

  public AdminReply with(Map<String, String> more) {
    Map<String, String> all = new TreeMap<>(headers);
    all.putAll(more);
    return new AdminReply(status, contentType, body, feed, all);
  }

  interface Document {
    void writeTo(JsonWriter json) throws IOException;
  }

  /**
   * @param isForPeople whether to indent the document; indentation is most of the bytes of a long
   *     document
   */
  static AdminReply json(int status, boolean isForPeople, Document document) {
    return written(
        status,
        JSON,
        out -> {
          var text = new PlainWriter(out);
          var json = new JsonWriter(text);
          json.setIndent(isForPeople ? "  " : "");
          document.writeTo(json);
          text.write('\n');
          text.flush();
        });
  }

  /** Returns a reply with records, maps, lists, texts and numbers as JSON ({@link Json}). */
  public static AdminReply json(int status, Object value) {
    return json(status, true, json -> Json.write(value, json));
  }

  /** Returns an object for {@link #json}; the arguments are alternately names and values. */
  public static Map<String, Object> members(Object... namesAndValues) {
    Map<String, Object> members = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      members.put(namesAndValues[i].toString(), namesAndValues[i + 1]);
    }
    return members;
  }

  public static AdminReply text(int status, String text) {
    return new AdminReply(status, TEXT, (text + "\n").getBytes(StandardCharsets.UTF_8));
  }

  public CompletionStage<AdminReply> done() {
    return CompletableFuture.completedStage(this);
  }

  /**
   * Returns the reply to an unsupported method; the reply lists the endpoint's methods (RFC 9110
   * section 15.5.6).
   */
  static AdminReply notAllowed(boolean hasGet, boolean hasPost) {
    String allow = hasGet ? hasPost ? "GET, HEAD, POST" : "GET, HEAD" : "POST";
    return text(405, "this endpoint takes " + allow).with(Map.of("allow", allow));
  }

  /** Returns this reply as an HTTP/1.1 response, without a body for a HEAD request. */
  FullHttpResponse response(boolean head) {
    int length = body.readableBytes();
    ByteBuf sent = body;
    if (head) {
      body.release();
      sent = Unpooled.EMPTY_BUFFER;
    }
    var response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, code(), sent);
    setHeaders(response);
    response.headers().set(HttpHeaderNames.CONTENT_LENGTH, length);
    return response;
  }

  /** Returns the headers of a response that lasts until the client disconnects. */
  HttpResponse beginning() {
    var response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, code());
    setHeaders(response);
    response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    return response;
  }

  private HttpResponseStatus code() {
    return HttpResponseStatus.valueOf(status);
  }

  private void setHeaders(HttpResponse response) {
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, contentType)
        .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
        .set("x-content-type-options", "nosniff")
        .set("referrer-policy", "no-referrer")
        .set("content-security-policy", CONTENT_SECURITY);
    headers.forEach(response.headers()::set);
  }

  /**
   * Writes the text of a JSON document in UTF-8, and replaces {@linkplain PlainText#isControl
   * control characters} by JSON escapes. Text is encoded in parts of {@link #PART} characters,
   * because encoding each small write by itself would double the time of a long document.
   */
  private static final class PlainWriter extends Writer {
    private static final int PART = 8 * 1024;

    private final StringBuilder part = new StringBuilder(PART);
    private final OutputStream out;

    PlainWriter(OutputStream out) {
      this.out = out;
    }

    @Override
    public void write(int c) {
      part.append((char) c);
    }

    @Override
    public void write(char[] text, int offset, int count) throws IOException {
      write(new String(text, offset, count), 0, count);
    }

    @Override
    public void write(String text, int offset, int count) throws IOException {
      part.append(text, offset, offset + count);
      if (part.length() >= PART) {
        flush();
      }
    }

    @Override
    public void flush() throws IOException {
      out.write(PlainText.ofJson(part.toString()).getBytes(StandardCharsets.UTF_8));
      part.setLength(0);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }
}

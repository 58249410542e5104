package io.outrigger.observe.admin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;

/** Renders an {@link AdminReply} in HTTP/1.1. */
final class AdminResponse {
  /**
   * The content security policy: only the page's own files are loaded, and no script may turn text
   * into markup. A reply that a browser opens as a document of its own has no scripts.
   */
  private static final String CONTENT_SECURITY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  private AdminResponse() {}

  static FullHttpResponse of(AdminReply reply, boolean head) {
    ByteBuf body = reply.body();
    int length = body.readableBytes();
    if (head) {
      body.release();
      body = Unpooled.EMPTY_BUFFER;
    }
    var response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status(reply), body);
    setHeaders(response, reply);
    response.headers().set(HttpHeaderNames.CONTENT_LENGTH, length);
    return response;
  }

  /** Returns the headers of a response that lasts until its reader disconnects. */
  static HttpResponse streamed(AdminReply reply) {
    var response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status(reply));
    setHeaders(response, reply);
    response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    return response;
  }

  private static HttpResponseStatus status(AdminReply reply) {
    return HttpResponseStatus.valueOf(reply.status());
  }

  private static void setHeaders(HttpResponse response, AdminReply reply) {
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, reply.contentType())
        .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
        .set("x-content-type-options", "nosniff")
        .set("referrer-policy", "no-referrer")
        .set("content-security-policy", CONTENT_SECURITY);
    reply.headers().forEach(response.headers()::set);
  }
}

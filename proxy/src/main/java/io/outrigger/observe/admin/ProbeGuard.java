package io.outrigger.observe.admin;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.outrigger.base.AnyThread;
import java.util.Optional;

/**
 * Accepts requests from every client, under any host name. This guard is for a server whose
 * endpoints are public and change nothing. Only requests with several Host headers, or without one,
 * are rejected (RFC 9112 section 3.2); HTTP/1.0 requests need no Host header.
 */
@AnyThread
final class ProbeGuard implements RequestGuard {
  @Override
  public Optional<AdminReply> refusal(HttpRequest request) {
    int hosts = request.headers().getAll(HttpHeaderNames.HOST).size();
    boolean needsOne = !request.protocolVersion().equals(HttpVersion.HTTP_1_0);
    return hosts > 1 || (hosts == 0 && needsOne)
        ? Optional.of(AdminReply.text(400, "a request has one Host, not " + hosts))
        : Optional.empty();
  }
}

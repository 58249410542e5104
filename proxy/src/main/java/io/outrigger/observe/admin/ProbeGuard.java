package io.outrigger.observe.admin;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.outrigger.base.AnyThread;
import java.util.Optional;

/**
 * Lets everybody ask, under any name: for a server that shows nothing that a stranger must not
 * read, and through which nothing can be changed. Refuses only what has no or several Hosts (RFC
 * 9112 section 3.2); a request of HTTP/1.0 needs none.
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

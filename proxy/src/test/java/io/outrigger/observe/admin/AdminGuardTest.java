package io.outrigger.observe.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdminGuardTest {
  @ParameterizedTest(name = "bound {0}: {1} host {2} origin {3} type {4} -> {5}")
  @CsvSource(
      nullValues = "-",
      value = {
        "127.0.0.1, GET,  127.0.0.1:9901, -, -, 0",
        "127.0.0.1, GET,  localhost:9901, -, -, 0",
        "127.0.0.1, GET,  LOCALHOST, -, -, 0",
        "127.0.0.1, GET,  [::1]:9901, -, -, 0",
        "127.0.0.1, GET,  127.0.0.2:9901, -, -, 0",
        "127.0.0.1, GET,  [0:0:0:0:0:0:0:1], -, -, 0",
        "127.0.0.1, GET,  [::ffff:127.0.0.1]:9901, -, -, 0",
        "127.0.0.1, GET,  127.0.0.1.evil.example, -, -, 403",
        "127.0.0.1, GET,  127.1, -, -, 403",
        "127.0.0.1, GET,  0.0.0.0:9901, -, -, 403",
        "127.0.0.1, GET,  [127.0.0.1]:9901, -, -, 403",
        "127.0.0.1, GET,  evil.example, -, -, 403",
        "127.0.0.1, GET,  evil.example:9901, -, -, 403",
        "127.0.0.1, GET,  10.0.0.5:9901, -, -, 403",
        "127.0.0.1, GET,  -, -, -, 403",
        "127.0.0.1, GET,  localhost:9901, http://localhost:9901, -, 0",
        "127.0.0.1, GET,  localhost:9901, http://evil.example, -, 403",
        "127.0.0.1, GET,  localhost:9901, null, -, 403",
        "127.0.0.1, POST, localhost:9901, -, application/json, 0",
        "127.0.0.1, POST, localhost:9901, -, application/json; charset=utf-8, 0",
        "127.0.0.1, POST, localhost:9901, -, text/plain, 415",
        "127.0.0.1, POST, localhost:9901, -, -, 415",
        "127.0.0.1, PUT,  localhost:9901, -, application/json, 0",
        "127.0.0.1, PUT,  localhost:9901, http://evil.example, -, 403",
        "10.0.0.5,  GET,  10.0.0.5:9901, -, -, 0",
        "2001:db8::5, GET, [2001:db8::5]:9901, -, -, 0",
        "2001:db8::5, GET, [2001:db8::6]:9901, -, -, 403",
        "0.0.0.0,   GET,  10.0.0.5:9901, -, -, 0",
        "0.0.0.0,   GET,  evil.example:9901, -, -, 403",
        "0.0.0.0,   GET,  [2001:db8::1]:9901, -, -, 0",
        "0.0.0.0,   GET,  [fe80::1%eth0]:9901, -, -, 0",
        "0.0.0.0,   GET,  10.0.0.5:99999999, -, -, 403",
        "0.0.0.0,   GET,  10.0.0.5.6:9901, -, -, 403",
        "0.0.0.0,   GET,  [evil.example]:9901, -, -, 403",
        "0.0.0.0,   GET,  [::1].evil.example:9901, -, -, 403",
        "127.0.0.1, GET,  localhost:9901@evil.example, -, -, 403",
        "127.0.0.1, GET,  localhost:, -, -, 403",
        "127.0.0.1, GET,  evil@localhost:9901, -, -, 403",
        "127.0.0.1, GET,  localhost:9901/x, -, -, 403",
      })
  void asksWhoAsks(
      String bound,
      String method,
      @Nullable String host,
      @Nullable String origin,
      @Nullable String contentType,
      int refusedWith) {
    var guard = new AdminGuard(new InetSocketAddress(bound, 9901), bound);
    var request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.valueOf(method), "/");
    set(request, HttpHeaderNames.HOST, host);
    set(request, HttpHeaderNames.ORIGIN, origin);
    set(request, HttpHeaderNames.CONTENT_TYPE, contentType);

    int status = guard.refusal(request).map(AdminReply::status).orElse(0);

    assertThat(status).isEqualTo(refusedWith);
  }

  private static void set(HttpRequest request, AsciiString name, @Nullable String value) {
    if (value != null) {
      request.headers().set(name, value);
    }
  }
}

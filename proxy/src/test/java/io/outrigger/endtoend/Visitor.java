package io.outrigger.endtoend;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.IntStream;

/** An app that keeps the cookie of its session, as a browser would. */
final class Visitor {
  static final String COOKIE = "sid";
  private static final String PREFIX = COOKIE + "=";

  private final App app;
  private String cookie = "";
  private int cookiesSet;

  Visitor(App app) {
    this.app = app;
  }

  /** A visitor who brings a cookie that says this. */
  Visitor bringing(String value) {
    return bringingRaw(Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8)));
  }

  /** A visitor who brings a cookie with this text. */
  Visitor bringingRaw(String value) {
    cookie = PREFIX + value;
    return this;
  }

  App.Reply call(String path) {
    App.Reply reply =
        cookie.isEmpty() ? app.call(path) : app.call(path, "cookie", "a=b; " + cookie);
    for (String field : reply.all("set-cookie")) {
      if (field.startsWith(PREFIX)) {
        cookie = field.substring(0, field.indexOf(';'));
        cookiesSet++;
      }
    }
    return reply;
  }

  /** Where a call goes. */
  String visits() {
    return call("test.Pay/Charge").backend();
  }

  /** Where {@code calls} calls go, each place once. */
  List<String> visits(int calls) {
    return IntStream.range(0, calls).mapToObj(i -> visits()).distinct().toList();
  }

  /** The field that it sends for its session; empty without one. */
  String cookie() {
    return cookie;
  }

  /** What the cookie says; empty without one. */
  String session() {
    return cookie.isEmpty()
        ? ""
        : new String(
            Base64.getDecoder().decode(cookie.substring(PREFIX.length())), StandardCharsets.UTF_8);
  }

  /** How many cookies responses have set. */
  int cookiesSet() {
    return cookiesSet;
  }
}

package io.outrigger.proxy.session;

import io.outrigger.base.AnyThread;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.RequestView;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The stateful session filter of a route, prepared when it is published (A55, A60). */
@AnyThread
public final class SessionFilter {
  private static final String COOKIE = "cookie";

  private final String name;
  private final String path;

  /** All that a {@code set-cookie} field has behind the value (A55-08). */
  private final String attributes;

  public SessionFilter(FilterConfig.SessionCookie cookie) {
    name = cookie.name();
    path = cookie.path();
    String life = "";
    if (!cookie.ttl().isZero()) {
      long seconds = Math.max(1, cookie.ttl().toSeconds()); // 0 would delete the cookie
      life = "; Max-Age=" + seconds;
    }
    attributes = "; HttpOnly" + (path.isEmpty() ? "" : "; Path=" + path) + life;
  }

  /** Of the cookie. */
  String name() {
    return name;
  }

  /** The session of a request; null when the cookie's path does not cover the request (A55-02). */
  public @Nullable Session begin(RequestView request) {
    if (!covers(request.path())) {
      return null;
    }
    String cookies = request.header(COOKIE);
    String value = cookies == null ? null : valueIn(cookies);
    Optional<SessionValue> read = value == null ? Optional.empty() : SessionValue.decode(value);
    return new Session(this, read.orElse(null));
  }

  /** RFC 6265 section 5.1.4. */
  private boolean covers(String target) {
    int query = target.indexOf('?');
    int length = query < 0 ? target.length() : query;
    if (path.isEmpty()) {
      return true;
    }
    if (length < path.length() || !target.startsWith(path)) {
      return false;
    }
    return length == path.length() || path.endsWith("/") || target.charAt(path.length()) == '/';
  }

  /** The value of the first cookie of that name, without quotes; null when there is none. */
  private @Nullable String valueIn(String cookies) {
    int start = 0;
    while (start < cookies.length()) {
      int semicolon = cookies.indexOf(';', start);
      int end = semicolon < 0 ? cookies.length() : semicolon;
      int from = start;
      while (from < end && isSpace(cookies.charAt(from))) {
        from++;
      }
      int equals = from + name.length();
      if (equals < end && cookies.charAt(equals) == '=' && cookies.startsWith(name, from)) {
        return unquoted(cookies, equals + 1, end);
      }
      start = end + 1;
    }
    return null;
  }

  private static String unquoted(String cookies, int start, int limit) {
    int end = limit;
    while (end > start && isSpace(cookies.charAt(end - 1))) {
      end--;
    }
    boolean quoted =
        end - start > 1 && cookies.charAt(start) == '"' && cookies.charAt(end - 1) == '"';
    return quoted ? cookies.substring(start + 1, end - 1) : cookies.substring(start, end);
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t';
  }

  /** The value of a {@code set-cookie} field. */
  String setCookie(SessionValue value) {
    return name + "=" + value.encode() + attributes;
  }
}

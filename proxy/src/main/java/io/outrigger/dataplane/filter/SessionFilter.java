package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.RequestView;
import io.outrigger.dataplane.filter.FilterPlan.AskedSession;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Implements cookie-based sessions (A55, A60). A request within the cookie's path gets a {@link
 * Session}, which is passed to picks. The response gets a cookie that names the endpoint of the
 * call. When several session filters apply, the first one decides (decision proxy-0012).
 */
@AnyThread
public final class SessionFilter implements RouteFilter {
  private static final String COOKIE = "cookie";
  private static final String SET_COOKIE = "set-cookie";

  private final FilterConfig.StatefulSession settings;
  private final String name;
  private final String path;

  /** The attributes of a {@code set-cookie} field after the value (A55-08). */
  private final String attributes;

  private SessionFilter(FilterConfig.StatefulSession settings, FilterConfig.SessionCookie cookie) {
    this.settings = settings;
    name = cookie.name();
    path = cookie.path();
    String life = "";
    if (!cookie.ttl().isZero()) {
      long seconds = Math.max(1, cookie.ttl().toSeconds()); // 0 would delete the cookie
      life = "; Max-Age=" + seconds;
    }
    attributes = "; HttpOnly" + (path.isEmpty() ? "" : "; Path=" + path) + life;
  }

  /** Returns the filter; empty when its settings disable it (A55-11). */
  public static Optional<SessionFilter> of(FilterConfig.StatefulSession settings) {
    return settings.cookie().map(cookie -> new SessionFilter(settings, cookie));
  }

  @Override
  public FilterStep onRequest(FilteredCall call) {
    if (call.session() == null) {
      Session session = begin(call.request());
      if (session != null) {
        call.session(session);
        call.changeCluster(session.cluster(call.clusters())); // A60 "Request Side Processing"
      }
    }
    return FilterStep.PROCEED;
  }

  /** Adds the session cookie; cookies that the backend sets remain (SC-40). */
  @Override
  public void onResponse(FilteredCall call, BiConsumer<String, String> fields) {
    if (call.session() instanceof Session own && own.isOf(this)) {
      own.setCookie(call.cluster()).ifPresent(value -> fields.accept(SET_COOKIE, value));
    }
  }

  @Override
  public FilterPlan plan(RequestView request, Set<String> clusters) {
    Optional<AskedSession> asked =
        Optional.ofNullable(begin(request))
            .map(
                session ->
                    new AskedSession(
                        name,
                        session.namedCluster(),
                        session.cluster(clusters),
                        session.preferred()));
    return new FilterPlan("stateful_session", settings, Map.of(), List.of(), asked);
  }

  /**
   * Returns the session of a request; null when the request is outside of the cookie's path
   * (A55-02).
   */
  public @Nullable Session begin(RequestView request) {
    if (!covers(request.path())) {
      return null;
    }
    String cookies = request.header(COOKIE);
    String value = cookies == null ? null : valueIn(cookies);
    Optional<SessionValue> read = value == null ? Optional.empty() : SessionValue.decode(value);
    return new Session(this, read.orElse(null));
  }

  /** Whether the request path matches the cookie's path (RFC 6265 section 5.1.4). */
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

  /**
   * Returns the value of the first cookie called {@link #name}, without quotes; null when there is
   * none.
   */
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

  String setCookie(SessionValue value) {
    return name + "=" + value.encode() + attributes;
  }
}

package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import io.envoyproxy.envoy.extensions.filters.http.stateful_session.v3.StatefulSession;
import io.envoyproxy.envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute;
import io.envoyproxy.envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState;
import io.envoyproxy.envoy.type.http.v3.Cookie;
import io.outrigger.config.route.FilterConfig;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * {@code StatefulSession} and its override (A55): a cookie's name, path and life; other fields,
 * such as {@code strict}, are ignored.
 */
final class StatefulSessionDecoder {
  static final String COOKIE_STATE =
      "envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState";

  private StatefulSessionDecoder() {}

  /** The filter of a listener; without {@code session_state} it does nothing. */
  static FilterConfig.StatefulSession decode(StatefulSession proto, FieldErrors errors) {
    if (!proto.hasSessionState()) {
      return FilterConfig.StatefulSession.OFF;
    }
    FieldErrors here = errors.at("session_state").at("typed_config");
    return new FilterConfig.StatefulSession(
        TypedConfig.of(proto.getSessionState().getTypedConfig(), here)
            .flatMap(state -> cookieState(state, here)));
  }

  /** What a route has in the filter's place: off, or with another cookie. */
  static FilterConfig.StatefulSession decode(StatefulSessionPerRoute proto, FieldErrors errors) {
    return proto.hasStatefulSession() // at most one of both is there
        ? decode(proto.getStatefulSession(), errors.at("stateful_session"))
        : FilterConfig.StatefulSession.OFF;
  }

  private static Optional<FilterConfig.SessionCookie> cookieState(
      TypedConfig state, FieldErrors errors) {
    if (!state.typeName().equals(COOKIE_STATE)) {
      errors.add("session state of type " + state.quotedType() + "; must be " + COOKIE_STATE);
      return Optional.empty();
    }
    return state
        .read(CookieBasedSessionState.getDefaultInstance(), errors)
        .flatMap(proto -> cookie(proto.getCookie(), errors.at("cookie")));
  }

  private static Optional<FilterConfig.SessionCookie> cookie(Cookie proto, FieldErrors errors) {
    String name = proto.getName();
    if (name.isEmpty()) {
      errors.at("name").add("is empty");
    } else if (!name.chars().allMatch(StatefulSessionDecoder::isTokenChar)) {
      errors.at("name").add(quoted(name) + " cannot be the name of a cookie"); // decision 0003
    }
    String path = proto.getPath();
    IntPredicate isPathChar = c -> c >= ' ' && c <= '~' && c != ';'; // RFC 6265 section 4.1.1
    if (!path.chars().allMatch(isPathChar)) {
      errors.at("path").add(quoted(path) + " cannot be the path of a cookie");
    }
    Optional<Duration> ttl =
        proto.hasTtl()
            ? ProtoDurations.decode(proto.getTtl(), errors.at("ttl"))
            : Optional.of(Duration.ZERO);
    return ttl.map(life -> new FilterConfig.SessionCookie(name, path, life));
  }

  /** RFC 9110 section 5.6.2. */
  private static boolean isTokenChar(int c) {
    return c > ' ' && c <= '~' && "()<>@,;:\\\"/[]?={}".indexOf(c) < 0;
  }
}

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

/** Decodes {@code StatefulSession} and its override (A55). */
final class StatefulSessionDecoder {
  static final String TYPE = "envoy.extensions.filters.http.stateful_session.v3.StatefulSession";
  static final String OVERRIDE_TYPE =
      "envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute";
  static final String COOKIE_STATE =
      "envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState";

  static final FilterDecoder DECODER =
      new FilterDecoder(
          TYPE,
          (config, errors) ->
              config
                  .read(StatefulSession.getDefaultInstance(), errors)
                  .map(proto -> decode(proto, errors)),
          OVERRIDE_TYPE,
          (config, errors) ->
              config
                  .read(StatefulSessionPerRoute.getDefaultInstance(), errors)
                  .map(proto -> decode(proto, errors)));

  private StatefulSessionDecoder() {}

  /** A filter without {@code session_state} has no effect. */
  private static FilterConfig.StatefulSession decode(StatefulSession proto, FieldErrors errors) {
    if (!proto.hasSessionState()) {
      return FilterConfig.StatefulSession.OFF;
    }
    FieldErrors here = errors.at("session_state").at("typed_config");
    return new FilterConfig.StatefulSession(
        TypedConfig.of(proto.getSessionState().getTypedConfig(), here)
            .flatMap(state -> cookieState(state, here)));
  }

  private static FilterConfig.StatefulSession decode(
      StatefulSessionPerRoute proto, FieldErrors errors) {
    return proto.hasStatefulSession() // the override has either stateful_session or disabled
        ? decode(proto.getStatefulSession(), errors.at("stateful_session"))
        : FilterConfig.StatefulSession.OFF;
  }

  private static Optional<FilterConfig.SessionCookie> cookieState(
      TypedConfig state, FieldErrors errors) {
    if (!state.typeName().equals(COOKIE_STATE)) {
      return errors.refuse(
          "session state of type " + state.quotedType() + "; must be " + COOKIE_STATE);
    }
    return state
        .read(CookieBasedSessionState.getDefaultInstance(), errors)
        .flatMap(proto -> cookie(proto.getCookie(), errors.at("cookie")));
  }

  private static Optional<FilterConfig.SessionCookie> cookie(Cookie proto, FieldErrors errors) {
    String name = proto.getName();
    if (name.isEmpty()) {
      errors.at("name").add("is empty");
    }
    Optional<Duration> ttl =
        proto.hasTtl()
            ? ProtoDurations.decode(proto.getTtl(), errors.at("ttl"))
            : Optional.of(Duration.ZERO);
    return isWritable(proto, errors)
        ? ttl.map(life -> new FilterConfig.SessionCookie(name, proto.getPath(), life))
        : Optional.empty();
  }

  /** Whether the cookie can be written in a {@code set-cookie} header (decision config-0003). */
  private static boolean isWritable(Cookie proto, FieldErrors errors) {
    if (!proto.getName().chars().allMatch(StatefulSessionDecoder::isTokenChar)) {
      errors
          .at("name")
          .ignore(
              quoted(proto.getName()) + " cannot be the name of a cookie; the session is left out");
      return false;
    }
    IntPredicate isPathChar = c -> c >= ' ' && c <= '~' && c != ';'; // RFC 6265 section 4.1.1
    if (!proto.getPath().chars().allMatch(isPathChar)) {
      errors
          .at("path")
          .ignore(
              quoted(proto.getPath()) + " cannot be the path of a cookie; the session is left out");
      return false;
    }
    return true;
  }

  /** Whether a character may occur in a token (RFC 9110 section 5.6.2). */
  private static boolean isTokenChar(int c) {
    return c > ' ' && c <= '~' && "()<>@,;:\\\"/[]?={}".indexOf(c) < 0;
  }
}

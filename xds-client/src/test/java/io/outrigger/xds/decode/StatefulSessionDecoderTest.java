package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.ResourceType.ROUTE;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.FilterConfig.SessionCookie;
import io.outrigger.config.route.FilterConfig.StatefulSession;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A55 "Listener and Route Configuration through xDS". */
class StatefulSessionDecoderTest {
  private static final String AT = "api_listener.api_listener.http_filters[0].typed_config";

  @ParameterizedTest(name = "{0} -> name {1}, path {2}, ttl {3}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'name': 'sid'}                                | sid |      | PT0S",
        "{'name': 'sid', 'path': '/p.S/M', 'ttl': '120s'} | sid | /p.S/M | PT2M",
        "{'name': 'sid', 'ttl': '0s'}                     | sid |        | PT0S",
      })
  @Conformance("A55-01")
  void cookieHasNamePathAndLife(String cookie, String name, String path, Duration ttl) {
    assertThat(filter(session(state(cookie))))
        .isEqualTo(
            new StatefulSession(
                Optional.of(new SessionCookie(name, path == null ? "" : path, ttl))));
  }

  @Test
  @Conformance("A55-01")
  void filterWithoutSessionStateDoesNothing() {
    assertThat(filter(session(""))).isEqualTo(StatefulSession.OFF);
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "{'name': 'a b'}",
        "{'name': 'a=b'}",
        "{'name': 'a', 'path': '/;x'}",
        "{'name': 'a', 'path': '/\\n'}"
      })
  void cookieThatCannotBeWrittenSwitchesTheFilterOff(String cookie) {
    assertThat(filter(session(state(cookie)))).isEqualTo(StatefulSession.OFF);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}                             | cookie.name: is empty",
        "{'name': ''}                   | cookie.name: is empty",
        "{'name': 'a', 'ttl': '-1s'}    | cookie.ttl: is negative",
        "{'name': 'a', 'ttl': '-0.5s'}  | cookie.ttl: is negative",
      })
  @Conformance("A55-01")
  void cookieThatCannotBeSetIsRefused(String cookie, String error) {
    assertThat(errors(LISTENER, listener(session(state(cookie)))))
        .containsExactly(AT + ".session_state.typed_config." + error);
  }

  @Test
  @Conformance("A55-01")
  void otherSessionStateIsRefused() {
    String header =
        """
        "session_state": {"name": "s", "typed_config": {
          "@type": "type.googleapis.com/envoy.config.core.v3.Address", "pipe": {"path": "x"}}}
        """;

    assertThat(errors(LISTENER, listener(session(header))))
        .containsExactly(
            AT
                + ".session_state.typed_config: session state of type"
                + " \"envoy.config.core.v3.Address\"; must be "
                + StatefulSessionDecoder.COOKIE_STATE);
    assertThat(errors(LISTENER, listener(session("\"session_state\": {\"name\": \"s\"}"))))
        .singleElement()
        .asString()
        .contains("session state of type \"\"; must be");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'disabled': true                                   | off",
        "                                                   | off",
        "'stateful_session': {}                             | off",
        "'stateful_session': {'session_state': {'name': 's', 'typed_config': {"
            + "'@type': 'type.googleapis.com/envoy.extensions.http.stateful_session.cookie.v3"
            + ".CookieBasedSessionState', 'cookie': {'name': 'other'}}}} | other",
      })
  @Conformance("A55-11")
  void routeSwitchesTheFilterOffOrGivesAnotherCookie(String fields, String name) {
    var override = override(fields == null ? "" : fields);

    assertThat(override)
        .isEqualTo(
            name.equals("off")
                ? StatefulSession.OFF
                : new StatefulSession(Optional.of(new SessionCookie(name, "", Duration.ZERO))));
  }

  @Test
  @Conformance("A55-11")
  void overrideIsCheckedLikeTheFilter() {
    String fields =
        "'stateful_session': {" + session(state("{}")).replaceFirst("^[^,]*, ", "") + "}";

    assertThat(errors(ROUTE, table(fields)))
        .singleElement()
        .asString()
        .endsWith(".stateful_session.session_state.typed_config.cookie.name: is empty");
  }

  private static FilterConfig filter(String typedConfig) {
    return ((ApiListener) valid(LISTENER, listener(typedConfig))).filters().get(0).config();
  }

  private static String session(String fields) {
    return "'@type': 'type.googleapis.com/"
        + StatefulSessionDecoder.TYPE
        + "'"
        + (fields.isEmpty() ? "" : ", " + fields);
  }

  private static String state(String cookie) {
    return "'session_state': {'name': 's', 'typed_config': {'@type': 'type.googleapis.com/"
        + StatefulSessionDecoder.COOKIE_STATE
        + "', 'cookie': "
        + cookie
        + "}}";
  }

  private static FilterConfig override(String fields) {
    return valid(ROUTE, table(fields)).virtualHosts().get(0).filterOverrides().get("session");
  }

  private static String table(String fields) {
    return """
        {"name": "r", "virtual_hosts": [{"typed_per_filter_config": {"session": {
          "@type": "type.googleapis.com/%s"%s}}}]}
        """
        .formatted(
            StatefulSessionDecoder.OVERRIDE_TYPE, fields.isBlank() ? "" : ", " + quotes(fields));
  }

  private static String listener(String typedConfig) {
    return """
        {"name": "orders", "api_listener": {"api_listener": {
          "@type": "type.googleapis.com/%s",
          "rds": {"config_source": {"ads": {}}, "route_config_name": "r"},
          "http_filters": [
            {"name": "session", "typed_config": {%s}},
            {"name": "router", "typed_config": {"@type": "type.googleapis.com/%s"}}]}}}
        """
        .formatted(ConnectionManagerDecoder.TYPE, quotes(typedConfig), FilterDecoders.ROUTER);
  }

  private static String quotes(String json) {
    return json.replace('\'', '"');
  }
}

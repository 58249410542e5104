package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListenerDecoderTest {
  private static final String ROUTER =
      """
      {"name": "router", "typed_config": {"@type":
        "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}
      """;

  @ParameterizedTest
  @CsvSource({"ads", "self"})
  @Conformance("A27-04")
  void routesComeByRdsFromTheSameServer(String source) {
    var listener = api(listener("\"rds\": " + rds("{\"" + source + "\": {}}", "orders-routes")));

    assertThat(listener.name()).isEqualTo("orders");
    assertThat(listener.routes()).isEqualTo(new RouteSource.Rds("orders-routes"));
    assertThat(listener.filters())
        .singleElement()
        .satisfies(filter -> assertThat(filter.config()).isEqualTo(new FilterConfig.Router()));
    assertThat(listener.maxStreamDuration()).isEmpty();
  }

  @Test
  @Conformance("A27-04")
  void routesMayBeInTheListenerItself() {
    var listener =
        api(
            listener(
                """
                "route_config": {"name": "inline", "virtual_hosts": [
                  {"name": "v", "domains": ["*"], "routes": [
                    {"match": {"prefix": ""}, "route": {"cluster": "c"}}]}]}
                """));

    assertThat(listener.routes()).isInstanceOf(RouteSource.Inline.class);
    var table = ((RouteSource.Inline) listener.routes()).table();
    assertThat(table.name()).isEqualTo("inline");
    assertThat(table.virtualHosts().get(0).routes()).hasSize(1);
  }

  @Test
  void errorOfAnInlineRouteHasItsWholePath() {
    assertThat(
            errors(
                LISTENER,
                listener(
                    """
                    "route_config": {"virtual_hosts": [{"routes": [{"route": {"cluster": "c"}}]}]}
                    """)))
        .containsExactly(
            "api_listener.api_listener.route_config.virtual_hosts[0].routes[0].match: is missing; give a path, such as prefix: /");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "\"rds\": {\"route_config_name\": \"r\"}"
            + "| rds.config_source: is missing; must be ads or self",
        "\"rds\": {\"config_source\": {}, \"route_config_name\": \"r\"}"
            + "| rds.config_source: names no source; must be ads or self",
        "\"rds\": {\"config_source\": {\"path\": \"/x\"}, \"route_config_name\": \"r\"}"
            + "| rds.config_source: path is not supported; must be ads or self",
        "\"rds\": {\"config_source\": {\"api_config_source\": {}}, \"route_config_name\": \"r\"}"
            + "| rds.config_source: api_config_source is not supported; must be ads or self",
        "\"rds\": {\"config_source\": {\"ads\": {}}} | rds.route_config_name: is empty",
        "\"scoped_routes\": {} | scoped_routes: is not supported; use rds or route_config",
        "\"stat_prefix\": \"x\" | neither rds nor route_config",
        "\"rds\": {\"config_source\": {\"ads\": {}}, \"route_config_name\": \"r\"},"
            + "\"xff_num_trusted_hops\": 1 | xff_num_trusted_hops: is not supported",
        "\"rds\": {\"config_source\": {\"ads\": {}}, \"route_config_name\": \"r\"},"
            + "\"original_ip_detection_extensions\": [{}] | original_ip_detection_extensions: is",
      })
  @Conformance({"A27-04", "A36-09"})
  void otherOriginsOfRoutesAreRefused(String fields, String error) {
    assertThat(errors(LISTENER, listener(fields)))
        .singleElement()
        .asString()
        .startsWith(
            "api_listener.api_listener" + (error.startsWith("neither") ? ": " : ".") + error);
  }

  @Test
  @Conformance("A27-04")
  void listenerForNeitherSideGetsTheRemedy() {
    assertThat(errors(LISTENER, "{\"name\": \"orders\"}"))
        .singleElement()
        .asString()
        .startsWith("api_listener: is missing")
        .contains("{\"api_listener\":{\"api_listener\":{\"@type\":\"type.googleapis.com/envoy.")
        .contains("filter_chains");
  }

  @Test
  void emptyApiListenerGetsTheSameRemedy() {
    assertThat(errors(LISTENER, "{\"name\": \"orders\", \"api_listener\": {}}"))
        .singleElement()
        .asString()
        .startsWith("api_listener: is missing");
  }

  @Test
  void apiListenerBesideAnAddressIsFine() {
    var listener =
        api(
            listener("\"rds\": " + rds("{\"ads\": {}}", "r"))
                .replaceFirst(
                    "\\{",
                    "{\"address\": {\"socket_address\": {\"address\": \"1.2.3.4\","
                        + " \"port_value\": 80}},"));

    assertThat(listener.routes()).isEqualTo(new RouteSource.Rds("r"));
  }

  @Test
  @Conformance("A27-04")
  void apiListenerMustHoldAConnectionManager() {
    var other = Listener.newBuilder().setName("orders");
    other.getApiListenerBuilder().setApiListener(Any.pack(Router.getDefaultInstance()));
    var broken = Listener.newBuilder().setName("orders");
    broken
        .getApiListenerBuilder()
        .setApiListener(
            Any.pack(HttpConnectionManager.getDefaultInstance()).toBuilder()
                .setValue(ByteString.copyFromUtf8("\u007f")));

    assertThat(errors(LISTENER, other.build()))
        .singleElement()
        .asString()
        .startsWith("api_listener.api_listener: holds \"envoy.extensions.filters.http.router.v3");
    assertThat(errors(LISTENER, broken.build()))
        .singleElement()
        .asString()
        .startsWith("api_listener.api_listener: not a readable envoy.extensions.filters.network");
  }

  @ParameterizedTest(name = "{0} s -> {1}")
  @CsvSource({"5, PT5S", "0, PT0S", "315576000000, PT876600H"})
  void connectionManagerMayLimitStreams(long seconds, String expected) {
    var listener = (ApiListener) valid(LISTENER, withMaxStreamDuration(seconds));

    assertThat(listener.maxStreamDuration()).contains(java.time.Duration.parse(expected));
  }

  @Test
  void negativeLimitOfStreamsIsRefused() {
    assertThat(errors(LISTENER, withMaxStreamDuration(-1)))
        .containsExactly(
            "api_listener.api_listener.common_http_protocol_options.max_stream_duration:"
                + " is negative");
  }

  private static ApiListener api(String json) {
    return (ApiListener) valid(LISTENER, json);
  }

  private static Listener withMaxStreamDuration(long seconds) {
    var manager = HttpConnectionManager.newBuilder();
    manager.getRdsBuilder().setRouteConfigName("r").getConfigSourceBuilder().getAdsBuilder();
    manager
        .addHttpFiltersBuilder()
        .setName("router")
        .setTypedConfig(Any.pack(Router.getDefaultInstance()));
    manager
        .getCommonHttpProtocolOptionsBuilder()
        .setMaxStreamDuration(Duration.newBuilder().setSeconds(seconds));
    var listener = Listener.newBuilder().setName("orders");
    listener.getApiListenerBuilder().setApiListener(Any.pack(manager.build()));
    return listener.build();
  }

  private static String rds(String source, String name) {
    return "{\"config_source\": " + source + ", \"route_config_name\": \"" + name + "\"}";
  }

  private static String listener(String managerFields) {
    return """
        {"name": "orders", "api_listener": {"api_listener": {
          "@type": "type.googleapis.com/%s",
          "http_filters": [%s],
          %s}}}
        """
        .formatted(ConnectionManagerDecoder.TYPE, ROUTER, managerFields);
  }
}

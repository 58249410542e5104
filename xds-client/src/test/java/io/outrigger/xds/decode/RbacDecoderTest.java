package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.ResourceType.ROUTE;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.envoyproxy.envoy.config.rbac.v3.Permission;
import io.envoyproxy.envoy.config.rbac.v3.Policy;
import io.envoyproxy.envoy.config.rbac.v3.RBAC;
import io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBACPerRoute;
import io.outrigger.base.IpAddress;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.rbac.Rbac.Action;
import io.outrigger.config.rbac.Rbac.Audit;
import io.outrigger.config.rbac.Rbac.Rules;
import io.outrigger.config.route.RouteTable;
import io.outrigger.testing.Conformance;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RBAC from its message to its decision. Texts leave out the quotes of JSON. */
class RbacDecoderTest {
  private static final String RBAC_TYPE = "\"@type\": \"type.googleapis.com/" + RbacDecoder.TYPE;
  private static final String STDOUT =
      "typed_config: {\"@type\": \"type.googleapis.com/" + RbacDecoder.STDOUT_LOGGER + "\"}";
  private static final PeerIdentity CERTIFIED =
      new PeerIdentity.Certified(
          List.of("https://x", "spiffe://mesh/ns/a/sa/b"), List.of("dns.example"), "CN=x");

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "any: true | true",
        "not_rule: {any: true} | false",
        "and_rules: {rules: [{any: true}, {not_rule: {any: true}}]} | false",
        "and_rules: {rules: [{any: true}, {any: true}]} | true",
        "or_rules: {rules: [{not_rule: {any: true}}, {any: true}]} | true",
        "or_rules: {rules: [{not_rule: {any: true}}]} | false",
        "not_rule: {or_rules: {rules: [{not_rule: {any: true}}]}} | true",
      })
  @Conformance("A41-03")
  void combinations(String permission, boolean expected) {
    assertThat(permits(permission, new Request())).isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "metadata: {filter: a} | false",
        "metadata: {filter: a, invert: true} | true",
        "not_rule: {metadata: {filter: a}} | true",
        "requested_server_name: {exact: \"\"} | true",
        "requested_server_name: {exact: a} | false",
        "requested_server_name: {safe_regex: {regex: \".*\"}} | true",
        "not_rule: {requested_server_name: {exact: a}} | true",
        "not_rule: {requested_server_name: {exact: \"\"}} | false",
      })
  @Conformance("A41-05")
  void metadataIsEmptyAndSoIsTheServerName(String permission, boolean expected) {
    assertThat(permits(permission, new Request())).isEqualTo(expected);
    assertThat(denies(permission, new Request())).isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0} of {1}: {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "exact: '/a.B/c' | /a.B/c | true",
        "exact: '/a.B/c' | /a.B/d | false",
        "exact: '/a.B/c' | /a.B/c?x=1 | true",
        "exact: '/a.B/c' | /a.B/c#x | true",
        "exact: '/a.B/c' | /a.B/c/ | false",
        "exact: '/A.b/C', ignore_case: true | /a.B/c | true",
        "prefix: '/a.B/' | /a.B/c | true",
        "suffix: '/c' | /a.B/c?x | true",
        "safe_regex: {regex: \"/a.B\"} | /a.B/c | false",
        "safe_regex: {regex: \"/a.B/.*\"} | /a.B/c | true",
        "contains: 'x=1' | /a.B/c?x=1 | false",
      })
  @Conformance({"A41-08", "A41-11"})
  void urlPathIsTheMethodWithoutQueryAndFragment(String matcher, String path, boolean expected) {
    Request request = new Request().with(":path", path);

    assertThat(permits("url_path: {path: {" + matcher + "}}", request)).isEqualTo(expected);
    assertThat(matches("url_path: {path: {" + matcher + "}}", request)).isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "name: X-A, exact_match: one | true",
        "name: x-a, string_match: {exact: ONE, ignore_case: true} | true",
        "name: x-a, exact_match: one, invert_match: true | false",
        "name: x-many, exact_match: \"1,2\" | true",
        "name: x-many, range_match: {start: 1, end: 5} | false",
        "name: x-bin, exact_match: 'AAE=' | true",
        "name: ':path', exact_match: \"/a.B/c?q\" | true",
        "name: ':method', exact_match: POST | true",
        "name: ':authority', exact_match: pay | true",
        "name: host, exact_match: pay | true",
        "name: HOST, exact_match: pay | true",
        "name: content-type, exact_match: 'application/grpc+x' | true",
        // absent
        "name: x-none, exact_match: \"\" | false",
        "name: x-none, exact_match: \"\", invert_match: true | false",
        "name: x-none, present_match: true | false",
        "name: x-none, present_match: false | true",
        "name: x-none, present_match: true, invert_match: true | true",
        "name: x-none, present_match: false, invert_match: true | false",
        "name: x-empty, exact_match: \"\" | true",
        "name: x-empty, present_match: true | true",
        // hop by hop
        "name: TE, present_match: true | false",
        "name: te, exact_match: trailers | false",
        "name: te, present_match: true, invert_match: true | true",
        "name: connection, present_match: true | false",
      })
  @Conformance("A41-09")
  void headersAreComparedAsOnTheWire(String matcher, boolean expected) {
    Request request =
        new Request()
            .with(":path", "/a.B/c?q")
            .with(":method", "POST")
            .with(":authority", "pay")
            .with("content-type", "application/grpc+x")
            .with("x-a", "one")
            .with("x-many", "1,2")
            .with("x-bin", "AAE=")
            .with("x-empty", "")
            .with("te", "trailers")
            .with("connection", "close");

    String header = "header: {" + matcher.replace("'", "\"") + "}";
    assertThat(permits(header, request)).isEqualTo(expected);
    assertThat(matches(header, request)).isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "destination_ip: {address_prefix: 10.0.0.0, prefix_len: 8} | true",
        "destination_ip: {address_prefix: 11.0.0.0, prefix_len: 8} | false",
        "destination_ip: {address_prefix: 11.0.0.0} | true",
        "destination_ip: {address_prefix: \"::\"} | false",
        "destination_port: 8080 | true",
        "destination_port: 8081 | false",
        "destination_port_range: {start: 8080, end: 8081} | true",
        "destination_port_range: {start: 8079, end: 8080} | false",
        "destination_port_range: {start: 1024, end: 70000} | true",
        "destination_port_range: {start: 1, end: 2147483647} | true",
        "destination_port_range: {start: -5, end: 8081} | true",
      })
  @Conformance("A41-13")
  void destinationIsTheLocalEndOfTheConnection(String permission, boolean expected) {
    assertThat(permits(permission, new Request())).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"source_ip", "direct_remote_ip", "remote_ip"})
  @Conformance("A41-12")
  void sourceIsThePeerOfTheConnection(String field) {
    Request request = new Request().with("x-forwarded-for", "9.9.9.9");

    assertThat(matches(field + ": {address_prefix: 192.168.1.7, prefix_len: 32}", request))
        .isTrue();
    assertThat(matches(field + ": {address_prefix: 9.9.9.9, prefix_len: 32}", request)).isFalse();
    assertThat(matches(field + ": {address_prefix: 9.9.9.9}", request)).isTrue();
    assertThat(
            matches(field + ": {address_prefix: \"::ffff:192.168.0.0\", prefix_len: 112}", request))
        .isTrue();
  }

  @Test
  @Conformance("A41-06")
  void authenticatedWithoutNameIsAnyTls() {
    String any = "authenticated: {}";

    assertThat(matches(any, new Request())).isFalse();
    assertThat(matches(any, new Request().from(new PeerIdentity.Anonymous()))).isTrue();
    assertThat(matches(any, new Request().from(CERTIFIED))).isTrue();
  }

  @ParameterizedTest(name = "{0} of uris {1}, dns {2}, subject {3}: {4}")
  @CsvSource(
      delimiter = '|',
      value = {
        "exact: 'spiffe://a/b' | http://x,spiffe://a/b | d | CN=s | true",
        "exact: 'd' | http://x | d | CN=s | false",
        "exact: 'CN=s' | http://x | '' | CN=s | false",
        "exact: 'd' | '' | c,d | CN=s | true",
        "exact: 'CN=s' | '' | d | CN=s | false",
        "exact: 'CN=s' | '' | '' | CN=s | true",
        "exact: \"\" | http://x | d | CN=s | false",
        "safe_regex: {regex: spiffe} | spiffe://a/b | '' | CN=s | false",
        "safe_regex: {regex: \"spiffe.*\"} | spiffe://a/b | '' | CN=s | true",
        "exact: 'CN=ä' | '' | '' | CN=ä | true",
      })
  @Conformance({"A41-07", "A41-08"})
  void namesOfOneKindAloneAreCompared(
      String matcher, String uris, String dns, String subject, boolean expected) {
    var peer = new PeerIdentity.Certified(list(uris), list(dns), subject);

    assertThat(
            matches("authenticated: {principal_name: {" + matcher + "}}", new Request().from(peer)))
        .isEqualTo(expected);
  }

  @Test
  @Conformance("A41-07")
  void withoutCertificateTheNameIsEmptyAndWithoutTlsThereIsNone() {
    String empty = "authenticated: {principal_name: {exact: \"\"}}";
    String some = "authenticated: {principal_name: {exact: a}}";

    assertThat(matches(empty, new Request().from(new PeerIdentity.Anonymous()))).isTrue();
    assertThat(matches(some, new Request().from(new PeerIdentity.Anonymous()))).isFalse();
    assertThat(matches(empty, new Request())).isFalse();
  }

  private static List<String> list(String text) {
    return text.isEmpty() ? List.of() : List.of(text.split(","));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rules_stat_prefix: s",
        "shadow_rules: {action: DENY}",
        "rules: {action: LOG}",
        "rules: {action: LOG, policies: {p: {permissions: [{}]}}}",
      })
  @Conformance("A41-02")
  void withoutRulesTheFilterDoesNothing(String fields) {
    assertThat(filter(fields).rules()).isEmpty();
  }

  @Test
  @Conformance("A41-02")
  void policiesAreInTheOrderOfTheirNames() {
    Rules rules =
        filter("rules: {action: DENY, policies: {b: {}, c: {}, a: {}}}").rules().orElseThrow();

    assertThat(rules.action()).isEqualTo(Action.DENY);
    assertThat(rules.policies()).extracting(Rbac.Policy::name).containsExactly("a", "b", "c");
    assertThat(rules.decide(new Request()).isAllowed()).isTrue();
  }

  @Test
  @Conformance("A41-04")
  void unknownFieldsAreRefusedAtAnyDepth() {
    var unknown =
        UnknownFieldSet.newBuilder()
            .addField(
                99, UnknownFieldSet.Field.newBuilder().addLengthDelimited(ByteString.EMPTY).build())
            .build();
    var rules = RBAC.newBuilder().setAction(RBAC.Action.DENY).setUnknownFields(unknown);
    var policy = Policy.newBuilder().setUnknownFields(unknown);
    policy
        .addPermissionsBuilder()
        .getAndRulesBuilder()
        .addRules(Permission.newBuilder().setAny(true))
        .addRulesBuilder()
        .getHeaderBuilder()
        .setName("x")
        .setPresentMatch(true)
        .setUnknownFields(unknown);
    var filter =
        RBACPerRoute.getDefaultInstance().getRbac().toBuilder()
            .setRules(rules.putPolicies("p", policy.build()))
            .build();
    var errors = FieldErrors.ofResource();

    RbacDecoder.DECODER
        .filter()
        .decode(new TypedConfig(RbacDecoder.TYPE, filter.toByteString(), Optional.empty()), errors);

    assertThat(errors.all())
        .extracting(FieldError::toString)
        .containsExactlyInAnyOrder(
            "rules: has unknown fields: [99]",
            "rules.policies[\"p\"]: has unknown fields: [99]",
            "rules.policies[\"p\"].permissions[0].and_rules.rules[1].header: has unknown fields:"
                + " [99]");
  }

  /** A field of a later version may hold the policies, without which the filter does nothing. */
  @Test
  @Conformance("A41-04")
  void unknownFieldsBesideTheRulesAreRefused() {
    var unknown =
        UnknownFieldSet.newBuilder()
            .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
            .build();
    for (var decoding : List.of(RbacDecoder.DECODER.filter(), RbacDecoder.DECODER.override())) {
      var errors = FieldErrors.ofResource();
      decoding.decode(new TypedConfig("", unknown.toByteString(), Optional.empty()), errors);

      assertThat(errors.all())
          .extracting(FieldError::toString)
          .containsExactly("has unknown fields: [99]");
    }
  }

  /** The misspelt policies would deny nothing. */
  @Test
  @Conformance("A41-04")
  void typedStructWithAnUnknownFieldIsRefused() {
    String struct =
        """
        "@type": "type.googleapis.com/xds.type.v3.TypedStruct", type_url: "x.y/%s",
        value: {rules: {action: DENY, polices: {}}}\
        """
            .formatted(RbacDecoder.TYPE);

    assertThat(errors(LISTENER, listener("").replace(RBAC_TYPE + "\", ", struct)))
        .containsExactly(
            "filter_chains[0].filters[0].typed_config.http_filters[0].typed_config.rules.polices:"
                + " unknown field of envoy.config.rbac.v3.RBAC; did you mean policies?");
  }

  @ParameterizedTest(name = "{0}: {1} of a denial, {2} of an approval")
  @CsvSource({
    "NONE, false, false",
    "ON_DENY, true, false",
    "ON_ALLOW, false, true",
    "ON_DENY_AND_ALLOW, true, true"
  })
  @Conformance("A59-01")
  void auditLoggersAndTheirCondition(String condition, boolean denied, boolean allowed) {
    String logger = "{audit_logger: {name: s, " + STDOUT + "}}";
    String fields =
        "rules: {action: DENY, audit_logging_options: {audit_condition: %s, logger_configs: [%s, %s]}}"
            .formatted(condition, logger, logger);

    assertThat(filter(fields))
        .isEqualTo(
            new Rbac(
                Optional.of(
                    new Rules(
                        Action.DENY,
                        List.of(),
                        denied || allowed ? new Audit(denied, allowed, 2) : Audit.NONE))));
  }

  @Test
  @Conformance("A59-02")
  void unknownLoggerIsRefusedUnlessOptional() {
    String unknown =
        "audit_logger: {name: s, typed_config: {\"@type\": \"type.googleapis.com/%s\"}}"
            .formatted(FilterDecoders.ROUTER);
    String options =
        "rules: {audit_logging_options: {audit_condition: ON_DENY, logger_configs: [{%s%s}]}}";

    assertThat(errors(LISTENER, listener(options.formatted(unknown, ""))))
        .singleElement()
        .asString()
        .contains("audit logger \"s\" of type", "is not supported; supported: ", "is_optional");
    assertThat(filter(options.formatted(unknown, ", is_optional: true")))
        .isEqualTo(
            new Rbac(Optional.of(new Rules(Action.ALLOW, List.of(), new Audit(true, false, 0)))));
  }

  @Test
  @Conformance("A59-02")
  void unreadableLoggerIsRefusedEvenWhenOptional() {
    var rules = RBAC.newBuilder();
    rules
        .getAuditLoggingOptionsBuilder()
        .addLoggerConfigsBuilder()
        .setIsOptional(true)
        .getAuditLoggerBuilder()
        .getTypedConfigBuilder()
        .setTypeUrl("type.googleapis.com/" + RbacDecoder.STDOUT_LOGGER)
        .setValue(ByteString.copyFrom(new byte[] {(byte) 0xFF}));
    var filter = RBACPerRoute.getDefaultInstance().getRbac().toBuilder().setRules(rules).build();
    var errors = FieldErrors.ofResource();

    RbacDecoder.DECODER
        .filter()
        .decode(new TypedConfig(RbacDecoder.TYPE, filter.toByteString(), Optional.empty()), errors);

    assertThat(errors.all())
        .singleElement()
        .asString()
        .contains("logger_configs[0].audit_logger.typed_config: not a readable ");
  }

  @Test
  @Conformance({"A41-14", "A39S-02"})
  void routeMayReplaceTheSettingsOrSwitchTheFilterOff() {
    RouteTable table =
        valid(
            ROUTE,
            """
            {name: r, virtual_hosts: [{domains: ["*"], typed_per_filter_config: {
              on: {"@type": "type.googleapis.com/%1$s", rbac: {rules: {action: DENY}}},
              off: {"@type": "type.googleapis.com/%1$s"}}}]}
            """
                .formatted(RbacDecoder.OVERRIDE_TYPE));

    assertThat(table.virtualHosts().get(0).filterOverrides())
        .containsEntry("on", new Rbac(Optional.of(new Rules(Action.DENY, List.of(), Audit.NONE))))
        .containsEntry("off", Rbac.OFF);
  }

  private static boolean permits(String permission, Request request) {
    return allows("permissions: [{" + permission + "}], principals: [{any: true}]", request);
  }

  private static boolean matches(String principal, Request request) {
    return allows("permissions: [{any: true}], principals: [{" + principal + "}]", request);
  }

  private static boolean allows(String policy, Request request) {
    return decide("ALLOW", policy, request);
  }

  private static boolean denies(String permission, Request request) {
    return !decide(
        "DENY", "permissions: [{" + permission + "}], principals: [{any: true}]", request);
  }

  private static boolean decide(String action, String policy, Request request) {
    return filter("rules: {action: " + action + ", policies: {p: {" + policy + "}}}")
        .rules()
        .orElseThrow()
        .decide(request)
        .isAllowed();
  }

  private static Rbac filter(String fields) {
    var listener = (SocketListener) valid(LISTENER, listener(fields));
    HttpFilter filter = listener.chains().get(0).filters().get(0);
    return (Rbac) filter.config();
  }

  private static String listener(String fields) {
    return """
    {name: l, address: {socket_address: {address: 0.0.0.0, port_value: 80}}, filter_chains: [
      {filters: [{name: m, typed_config: {"@type": "type.googleapis.com/%s",
        rds: {route_config_name: r, config_source: {ads: {}}}, http_filters: [
          {name: f, typed_config: {%s", %s}},
          {name: r, typed_config: {"@type": "type.googleapis.com/%s"}}]}}]}]}
    """
        .formatted(ConnectionManagerDecoder.TYPE, RBAC_TYPE, fields, FilterDecoders.ROUTER);
  }

  private static final class Request implements AuthorizationInput {
    private final Map<String, String> headers = new HashMap<>();
    private PeerIdentity peer = new PeerIdentity.Plain();

    Request with(String name, String value) {
      headers.put(name, value);
      return this;
    }

    Request from(PeerIdentity identity) {
      peer = identity;
      return this;
    }

    @Override
    public String path() {
      return headers.getOrDefault(":path", "/");
    }

    @Override
    public @Nullable String header(String name) {
      return headers.get(name);
    }

    @Override
    public Connection connection() {
      return new Connection(peer, ip("192.168.1.7"), ip("10.1.2.3"), 8080);
    }

    private static IpAddress ip(String text) {
      try {
        return IpAddress.of(InetAddress.getByName(text));
      } catch (UnknownHostException e) {
        throw new AssertionError(e);
      }
    }
  }
}

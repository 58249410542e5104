package io.outrigger.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.TextFormat;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.core.v3.CidrRange;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.rbac.v3.Permission;
import io.envoyproxy.envoy.config.rbac.v3.Policy;
import io.envoyproxy.envoy.config.rbac.v3.Principal;
import io.envoyproxy.envoy.config.rbac.v3.RBAC;
import io.envoyproxy.envoy.config.route.v3.HeaderMatcher;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.xds.internal.rbac.engine.GrpcAuthorizationEngine;
import io.outrigger.base.IpAddress;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.ResourceDecoder;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random RBAC policies and requests get the same verdict, by the same policy, as from grpc-java's
 * own decoder and engine, which are called by reflection. The random policies have none of the
 * shapes on which the two are known to differ; {@code knownDifferences} has these by name.
 */
@SuppressWarnings("deprecation") // control planes still send the deprecated fields
class RbacOracleTest {
  private static final int POLICIES = Integer.getInteger("outrigger.test.policies", 10_000);
  private static final int REQUESTS = 4;
  private static final int SHOWN = 5;
  private static final String[] TEXTS = {
    "a", "ab", "abc", "b", "5", "spiffe://m/a", "a.m", "/s.S/M", "a,b", "POST", "%2F"
  };
  private static final String[] NUMBERS = {
    "5", "-3", "+5", "05", "5.0", "5 5", "9223372036854775807", "9223372036854775808", "5,6", ""
  };
  private static final String[] REGEXES = {
    "a.*",
    ".*b",
    "[ab]+",
    "a|abc",
    "",
    "/s.S/.",
    "spiffe:.*",
    "^a",
    "b$",
    "(?i)AB",
    "a{2}|ab",
    "(a)(b)?",
    "\\d+",
    ".*%2F.*",
    "(?s).*"
  };
  private static final String[] HEADERS = {
    "x-a",
    "X-A",
    "x-empty",
    "x-n",
    "x-b",
    "x-bin",
    ":path",
    ":method",
    ":authority",
    "host",
    "Host",
    "te",
    "content-type",
    "x-none"
  };
  private static final String[] V4 = {"10.0.0.1", "10.1.0.1", "127.0.0.1", "100.64.1.1", "0.0.0.0"};
  private static final String[] V6 = {"::1", "2001:db8::1", "2001:db9::2"};

  /** The paths of requests, and what apps make of them that resolve paths (config-0085). */
  private static final Map<String, String> RESOLVED =
      Map.of(
          "/s.S/M", "/s.S/M",
          "/a/b", "/a/b",
          "/s.S/N", "/s.S/N",
          "/a/../b", "/b",
          "/a/b%2Fc", "/a/b/c",
          "//a/b", "/a/b",
          "/a/", "/a/");

  private static final List<Peer> PEERS = peers();

  private static final MethodDescriptor.Marshaller<Void> NOTHING =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(Void value) {
          return InputStream.nullInputStream();
        }

        @Override
        public @Nullable Void parse(InputStream stream) {
          return null;
        }
      };

  /** A peer for both engines. */
  private record Peer(PeerIdentity ours, @Nullable SSLSession theirs) {
    @Override
    public String toString() {
      return ours.toString();
    }
  }

  /** A request for both engines; headers have all values of a name. */
  private record Request(
      String path,
      String authority,
      Map<String, List<String>> headers,
      Peer from,
      InetSocketAddress remote,
      InetSocketAddress local) {
    Request at(String otherPath) {
      return new Request(otherPath, authority, headers, from, remote, local);
    }
  }

  private record Verdict(boolean isAllowed, Optional<String> policy) {}

  @Test
  @Conformance("A41-16")
  void equalPoliciesGiveEqualVerdicts() throws Exception {
    List<String> differences = new ArrayList<>();
    int allowed = 0;
    int first = Integer.getInteger("outrigger.test.seed", 0);
    for (int seed = first; seed < first + POLICIES; seed++) {
      var random = new Random(seed);
      RBAC rules = rules(random);
      Rbac.Rules ours = ours(rules).orElseThrow();
      GrpcAuthorizationEngine theirs = theirs(rules);
      for (int i = 0; i < REQUESTS; i++) {
        Request request = request(random);

        Verdict verdict = verdict(ours, request);
        Verdict expected = verdict(theirs, request);
        if (expected.isAllowed()) { // ours judges such paths twice
          Verdict again = verdict(theirs, request.at(RESOLVED.get(request.path())));
          expected = again.isAllowed() ? expected : again;
        }

        if (!verdict.equals(expected)) {
          differences.add(
              "seed %s: %s, not %s, for %s by%n%s"
                  .formatted(seed, verdict, expected, request, text(rules)));
        }
        allowed += verdict.isAllowed() ? 1 : 0;
      }
    }
    assertThat(differences.stream().limit(SHOWN)).isEmpty();
    assertThat(allowed).isBetween(POLICIES * REQUESTS / 4, POLICIES * REQUESTS * 3 / 4);
  }

  /**
   * The request comes from 200.1.1.1 by TLS to 10.0.0.1:80, without a certificate, for {@code
   * /s.S/M} with {@code x-n: 7} and {@code connection: close}.
   */
  @ParameterizedTest(name = "{0}: {1} of ours, {2} of grpc-java''s: {3}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "metadata { filter: 'f' invert: true } | match | none | A41: invert turns never to always",
        "source_ip { address_prefix: '1.0.0.0' } | match | none | a sign bit in a shift by 32",
        "source_ip { address_prefix: '::ffff:200.0.0.0' prefix_len { value: 104 } } | match | none"
            + " | an IPv4-mapped range is the IPv4 range",
        "authenticated { } | match | refused | A41: any peer with TLS",
        "header { name: 'x-n' range_match { start: 1 end: 7 } } | none | match | A28: half open",
        "header { name: 'connection' present_match: true } | none | match | A41: hop by hop",
        "header { name: 'x-m' exact_match: '' treat_missing_header_as_empty: true } | refused |"
            + " none | xds-0075",
        "header { name: 'GRPC-x' present_match: true } | refused | none"
            + " | A41: in any case of letters",
        "and_ids { } | refused | match | xds-0075",
        "or_ids { } | refused | none | xds-0075",
        "any: false | refused | match | xds-0075",
      })
  @Conformance("A41-16")
  void knownDifferences(String principal, String ours, String theirs, String why) throws Exception {
    var rules = RBAC.newBuilder();
    var policy = Policy.newBuilder();
    policy.addPermissionsBuilder().setAny(true);
    TextFormat.merge(principal.replace('\'', '"'), policy.addPrincipalsBuilder());
    rules.putPolicies("p", policy.build());
    var request =
        new Request(
            "/s.S/M",
            "a",
            Map.of("x-n", List.of("7"), "connection", List.of("close")),
            PEERS.get(1),
            address("200.1.1.1", 1000),
            address("10.0.0.1", 80));

    assertThat(word(ours(rules.build()).map(each -> verdict(each, request)))).isEqualTo(ours);
    assertThat(word(theirsIfAccepted(rules.build()).map(each -> verdict(each, request))))
        .as(why)
        .isEqualTo(theirs);
  }

  private static String word(Optional<Verdict> verdict) {
    return verdict.map(each -> each.isAllowed() ? "match" : "none").orElse("refused");
  }

  private static String text(RBAC rules) {
    return TextFormat.printer().printToString(rules);
  }

  private static RBAC rules(Random random) {
    var rules = RBAC.newBuilder().setActionValue(random.nextInt(2));
    for (int i = random.nextInt(4); i > 0; i--) {
      var policy = Policy.newBuilder();
      IntStream.range(0, random.nextInt(3))
          .forEach(n -> policy.addPermissions(permission(random, 3)));
      IntStream.range(0, random.nextInt(3))
          .forEach(n -> policy.addPrincipals(principal(random, 3)));
      rules.putPolicies("p" + random.nextInt(10), policy.build());
    }
    return rules.build();
  }

  private static Permission permission(Random random, int depth) {
    var made = Permission.newBuilder();
    switch (random.nextInt(depth > 0 ? 11 : 8)) {
      case 0 -> made.setAny(true);
      case 1 -> made.setHeader(header(random));
      case 2 -> made.getUrlPathBuilder().setPath(text(random));
      case 3 -> made.setDestinationIp(range(random));
      case 4 -> made.setDestinationPort(80 + random.nextInt(2));
      case 5 -> {
        int start = 79 + random.nextInt(4);
        made.getDestinationPortRangeBuilder().setStart(start).setEnd(start + 1 + random.nextInt(3));
      }
      case 6 -> made.getMetadataBuilder().setFilter("f");
      case 7 -> made.setRequestedServerName(text(random));
      case 8 -> made.setNotRule(permission(random, depth - 1));
      case 9 ->
          each(random, n -> made.getAndRulesBuilder().addRules(permission(random, depth - 1)));
      default ->
          each(random, n -> made.getOrRulesBuilder().addRules(permission(random, depth - 1)));
    }
    return made.build();
  }

  private static Principal principal(Random random, int depth) {
    var made = Principal.newBuilder();
    switch (random.nextInt(depth > 0 ? 11 : 8)) {
      case 0 -> made.setAny(true);
      case 1 -> made.setHeader(header(random));
      case 2 -> made.getUrlPathBuilder().setPath(text(random));
      case 3 -> made.setSourceIp(range(random));
      case 4 -> made.setDirectRemoteIp(range(random));
      case 5 -> made.setRemoteIp(range(random));
      case 6 -> made.getMetadataBuilder().setFilter("f");
      case 7 -> made.getAuthenticatedBuilder().setPrincipalName(text(random));
      case 8 -> made.setNotId(principal(random, depth - 1));
      case 9 -> each(random, n -> made.getAndIdsBuilder().addIds(principal(random, depth - 1)));
      default -> each(random, n -> made.getOrIdsBuilder().addIds(principal(random, depth - 1)));
    }
    return made.build();
  }

  private static void each(Random random, Consumer<Integer> step) {
    for (int i = random.nextInt(3); i >= 0; i--) {
      step.accept(i);
    }
  }

  private static HeaderMatcher header(Random random) {
    var made = HeaderMatcher.newBuilder().setName(any(random, HEADERS));
    made.setInvertMatch(random.nextInt(3) == 0);
    switch (random.nextInt(8)) {
      case 0 -> made.setPresentMatch(random.nextBoolean());
      case 1 -> made.getRangeMatchBuilder().setStart(random.nextInt(12) - 6).setEnd(7);
      case 2 -> made.setExactMatch(any(random, TEXTS));
      case 3 -> made.setPrefixMatch(any(random, TEXTS));
      case 4 -> made.setSuffixMatch(any(random, TEXTS));
      case 5 -> made.setContainsMatch(any(random, TEXTS));
      case 6 -> made.getSafeRegexMatchBuilder().setRegex(any(random, REGEXES));
      default -> made.setStringMatch(text(random));
    }
    return made.build();
  }

  private static StringMatcher text(Random random) {
    var made = StringMatcher.newBuilder();
    String text = any(random, TEXTS);
    switch (random.nextInt(6)) {
      case 0 -> made.setExact(random.nextInt(3) == 0 ? "" : text);
      case 1 -> made.setPrefix(text).setIgnoreCase(random.nextBoolean());
      case 2 -> made.setSuffix(text).setIgnoreCase(random.nextBoolean());
      case 3 -> made.setContains(text).setIgnoreCase(random.nextBoolean());
      case 4 -> made.setExact(text.toUpperCase(Locale.ROOT)).setIgnoreCase(true);
      default -> made.getSafeRegexBuilder().setRegex(any(random, REGEXES));
    }
    return made.build();
  }

  private static CidrRange range(Random random) {
    boolean isV6 = random.nextInt(4) == 0;
    int length = random.nextInt(isV6 ? 129 : 33);
    return CidrRange.newBuilder()
        .setAddressPrefix(any(random, isV6 ? V6 : V4))
        .setPrefixLen(UInt32Value.of(random.nextInt(3) == 0 ? 0 : length))
        .build();
  }

  private static Request request(Random random) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("content-type", List.of("application/grpc"));
    headers.put("te", List.of("trailers"));
    if (random.nextBoolean()) {
      headers.put("x-a", List.of(any(random, TEXTS)));
    }
    if (random.nextBoolean()) {
      headers.put("x-b", List.of(any(random, TEXTS), any(random, TEXTS)));
    }
    if (random.nextBoolean()) {
      headers.put("x-empty", List.of(""));
    }
    if (random.nextBoolean()) {
      headers.put("x-n", List.of(any(random, NUMBERS)));
    }
    if (random.nextBoolean()) {
      headers.put("x-bin", random.nextBoolean() ? List.of("YWJj") : List.of("YWJj", "YWFh"));
    }
    boolean isV6 = random.nextInt(4) == 0;
    return new Request(
        any(random, "/s.S/M", "/a/b", "/s.S/N", "/a/../b", "/a/b%2Fc", "//a/b", "/a/"),
        any(random, "a", "a.m", "b", "A.M", "a.m:80"),
        headers,
        PEERS.get(random.nextInt(PEERS.size())),
        address(any(random, isV6 ? V6 : V4), 1000),
        address(any(random, isV6 ? V6 : V4), 80 + random.nextInt(3)));
  }

  private static String any(Random random, String... values) {
    return values[random.nextInt(values.length)];
  }

  private static List<Peer> peers() {
    var authority = TestAuthority.named("mesh");
    List<Peer> peers = new ArrayList<>();
    peers.add(new Peer(new PeerIdentity.Plain(), null));
    peers.add(new Peer(new PeerIdentity.Anonymous(), session(null)));
    for (String names :
        new String[] {
          "",
          "dns:a.m",
          "dns:a.m,dns:b",
          "uri:spiffe://m/a",
          "uri:spiffe://m/b,dns:a.m",
          "uri:https://x,uri:spiffe://m/a",
          "dns:a.m,uri:https://x",
          "ip:10.0.0.1",
          "ip:10.0.0.1,dns:b",
          "email:a@b"
        }) {
      String[] all = names.isEmpty() ? new String[0] : names.split(",");
      X509Certificate leaf = authority.issue(all).certificate();
      var identity =
          new PeerIdentity.Certified(
              named(all, "uri:"), named(all, "dns:"), leaf.getSubjectX500Principal().getName());
      peers.add(new Peer(identity, session(leaf)));
    }
    return peers;
  }

  private static List<String> named(String[] names, String kind) {
    return Arrays.stream(names)
        .filter(name -> name.startsWith(kind))
        .map(name -> name.substring(kind.length()))
        .toList();
  }

  private static SSLSession session(@Nullable X509Certificate leaf) {
    return (SSLSession)
        Proxy.newProxyInstance(
            SSLSession.class.getClassLoader(),
            new Class<?>[] {SSLSession.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("getPeerCertificates")) {
                throw new UnsupportedOperationException(method.getName());
              }
              if (leaf == null) {
                throw new SSLPeerUnverifiedException("the peer has sent no certificate");
              }
              return new Certificate[] {leaf};
            });
  }

  private static InetSocketAddress address(String ip, int port) {
    return new InetSocketAddress(ip, port);
  }

  /** Decodes {@code rules} in a listener; empty if the listener is refused. */
  private static Optional<Rbac.Rules> ours(RBAC rules) {
    var filter =
        io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC.newBuilder().setRules(rules);
    var manager = HttpConnectionManager.newBuilder();
    manager.getRdsBuilder().setRouteConfigName("r").getConfigSourceBuilder().getAdsBuilder();
    manager.addHttpFiltersBuilder().setName("rbac").setTypedConfig(Any.pack(filter.build()));
    manager
        .addHttpFiltersBuilder()
        .setName("router")
        .setTypedConfig(Any.pack(Router.getDefaultInstance()));
    var listener = Listener.newBuilder().setName("l");
    listener.getAddressBuilder().getSocketAddressBuilder().setAddress("::").setPortValue(80);
    listener
        .addFilterChainsBuilder()
        .addFiltersBuilder()
        .setName("manager")
        .setTypedConfig(Any.pack(manager.build()));
    var decoded =
        ResourceDecoder.decode(
            ResourceType.LISTENER,
            List.of(Any.pack(listener.build())),
            new DecodeContext(ServerFeatures.NONE, Map.of()));
    return Optional.ofNullable(decoded.valid().get("l"))
        .map(valid -> (SocketListener) valid.value())
        .map(socket -> (Rbac) socket.chains().get(0).filters().get(0).config())
        .flatMap(Rbac::rules);
  }

  private static Verdict verdict(Rbac.Rules rules, Request request) {
    Rbac.Decision decision = rules.decide(new Input(request));
    return new Verdict(decision.isAllowed(), decision.policy());
  }

  private record Input(Request request) implements AuthorizationInput {
    @Override
    public String path() {
      return request.path();
    }

    @Override
    public @Nullable String header(String name) {
      return switch (name) {
        case ":path" -> request.path();
        case ":method" -> "POST";
        case ":authority" -> request.authority();
        default ->
            request.headers().containsKey(name)
                ? String.join(",", request.headers().get(name))
                : null;
      };
    }

    @Override
    public Connection connection() {
      return new Connection(
          request.from().ours(),
          IpAddress.of(request.remote().getAddress()),
          IpAddress.of(request.local().getAddress()),
          request.local().getPort());
    }
  }

  private static GrpcAuthorizationEngine theirs(RBAC rules) throws Exception {
    return theirsIfAccepted(rules).orElseThrow();
  }

  /** Has grpc-java decode {@code rules}, in its own copy of the message; empty if it refuses. */
  private static Optional<GrpcAuthorizationEngine> theirsIfAccepted(RBAC rules) throws Exception {
    byte[] bytes =
        io.envoyproxy
            .envoy
            .extensions
            .filters
            .http
            .rbac
            .v3
            .RBAC
            .newBuilder()
            .setRules(rules)
            .build()
            .toByteArray();
    Class<?> message =
        Class.forName(
            "io.grpc.xds.shaded.io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC");
    Object copy = message.getMethod("parseFrom", byte[].class).invoke(null, bytes);
    Method parse =
        Class.forName("io.grpc.xds.RbacFilter$Provider")
            .getDeclaredMethod("parseRbacConfig", message);
    parse.setAccessible(true);
    Object result = parse.invoke(null, copy);
    Object config = field(result, "config");
    if (config == null) {
      return Optional.empty();
    }
    Method authConfig = Class.forName("io.grpc.xds.RbacConfig").getDeclaredMethod("authConfig");
    authConfig.setAccessible(true);
    return Optional.of(
        new GrpcAuthorizationEngine(
            (GrpcAuthorizationEngine.AuthConfig) authConfig.invoke(config)));
  }

  private static @Nullable Object field(Object of, String name)
      throws ReflectiveOperationException {
    Field field = of.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field.get(of);
  }

  private static Verdict verdict(GrpcAuthorizationEngine engine, Request request) {
    var metadata = new Metadata();
    request
        .headers()
        .forEach(
            (name, values) -> {
              for (String value : values) {
                if (name.endsWith("-bin")) {
                  metadata.put(
                      Metadata.Key.of(name, Metadata.BINARY_BYTE_MARSHALLER),
                      Base64.getDecoder().decode(value));
                } else {
                  metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
                }
              }
            });
    var decision = engine.evaluate(metadata, new Call(request));
    return new Verdict(
        decision.decision() == GrpcAuthorizationEngine.Action.ALLOW,
        Optional.ofNullable(decision.matchingPolicyName()));
  }

  private static final class Call extends ServerCall<Void, Void> {
    private final Request request;

    Call(Request request) {
      this.request = request;
    }

    @Override
    public Attributes getAttributes() {
      var attributes =
          Attributes.newBuilder()
              .set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, request.remote())
              .set(Grpc.TRANSPORT_ATTR_LOCAL_ADDR, request.local());
      if (request.from().theirs() != null) {
        attributes.set(Grpc.TRANSPORT_ATTR_SSL_SESSION, request.from().theirs());
      }
      return attributes.build();
    }

    @Override
    public String getAuthority() {
      return request.authority();
    }

    @Override
    public MethodDescriptor<Void, Void> getMethodDescriptor() {
      return MethodDescriptor.<Void, Void>newBuilder()
          .setType(MethodDescriptor.MethodType.UNKNOWN)
          .setFullMethodName(request.path().substring(1))
          .setRequestMarshaller(NOTHING)
          .setResponseMarshaller(NOTHING)
          .build();
    }

    @Override
    public void request(int numMessages) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(Void message) {}

    @Override
    public void close(Status status, Metadata trailers) {}

    @Override
    public boolean isCancelled() {
      return false;
    }
  }
}

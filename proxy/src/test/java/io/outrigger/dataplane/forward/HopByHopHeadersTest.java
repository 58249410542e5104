package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.http2.HeaderField;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.KnownName;
import io.outrigger.http2.testing.Heads;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HopByHopHeadersTest {
  private static final HeaderField ORDERS = HeaderField.of(KnownName.AUTHORITY, "orders");

  @Conformance("SC-29")
  @ParameterizedTest(name = "{0}: {1} passes: {2}")
  @CsvSource({
    "connection, close, false",
    "keep-alive, timeout=5, false",
    "proxy-connection, keep-alive, false",
    "transfer-encoding, chunked, false",
    "upgrade, websocket, false",
    "te, gzip, false",
    "te, trailers, true",
    "host, app.local, false",
    "x-outrigger-wait-for-ready, true, false",
    "grpc-timeout, 5S, false",
    "cookie, a=b, true",
    "authorization, x, true",
    "grpc-encoding, gzip, true",
    "content-length, 5, true",
    "x-forwarded-for, 1.2.3.4, true",
  })
  void whatBelongsToOneHopStaysThere(String name, String value, boolean passes) {
    HeaderList sent =
        upstream(EffectiveTimeout.NONE, "content-type", "application/grpc", name, value);

    assertThat(sent.contains(new AsciiString(name))).isEqualTo(passes);
  }

  @Conformance("SC-30")
  @Test
  void metadataKeepsItsOrderItsDuplicatesAndItsBytes() {
    HeaderList sent =
        upstream(
            EffectiveTimeout.NONE,
            "content-type",
            "application/grpc",
            "x-b",
            "1",
            "x-a",
            "2",
            "x-b",
            "3",
            "trace-bin",
            "AAEC,/w==",
            "cookie",
            "a=b",
            "cookie",
            "c=d");

    assertThat(sent.toString())
        .endsWith(
            "content-type=application/grpc, x-b=1, x-a=2, x-b=3, trace-bin=AAEC,/w==, cookie=a=b,"
                + " cookie=c=d");
  }

  @Conformance("SC-32")
  @Test
  void theDestinationIsRewrittenAndThePathIsNot() {
    var block =
        HeaderList.builder(4)
            .add(KnownName.METHOD, "POST")
            .add(KnownName.SCHEME, "https")
            .add(KnownName.PATH, "/a%2Fb?c=%20&d")
            .add(KnownName.AUTHORITY, "app.local:9001")
            .build();

    HeaderList sent =
        sent(RequestHead.of(block), ORDERS, EffectiveTimeout.NONE, 0, HeaderList.EMPTY);

    assertThat(sent.toString())
        .isEqualTo(":method=POST, :scheme=http, :path=/a%2Fb?c=%20&d, :authority=orders");
  }

  @Conformance("A44-11")
  @Test
  void whatGoesUpstreamForAHeadThatRecursIsMadeOnce() {
    RequestHead head = RequestHead.of(recurring());
    long second = 1_000_000_000L;
    long hour = 3_600_000_000_000L;
    HeaderList first = sent(head, ORDERS, second, 0, HeaderList.EMPTY);

    assertThat(sent(head, ORDERS, second, 2, HeaderList.EMPTY).toString())
        .contains("grpc-previous-rpc-attempts=2");
    assertThat(sent(head, ORDERS, second, 0, Heads.headers("traceparent", "ours")).toString())
        .contains("traceparent=ours");
    assertThat(sent(head, ORDERS, second, 0, HeaderList.EMPTY)).isSameAs(first);
    assertThat(first.recurs()).isTrue();
    assertThat(sent(head, ORDERS, hour, 0, HeaderList.EMPTY).toString())
        .contains("grpc-timeout=36");
    assertThat(sent(head, ORDERS, EffectiveTimeout.NONE, 0, HeaderList.EMPTY).toString())
        .doesNotContain("grpc-timeout");
    HeaderField stock = HeaderField.of(KnownName.AUTHORITY, "stock");
    assertThat(sent(head, stock, second, 0, HeaderList.EMPTY).toString())
        .contains(":authority=stock");
  }

  /** Calls of one app may go to backends with and without TLS. */
  @Conformance("SC-32")
  @Test
  void theSchemeIsThatOfTheConnectionAlsoForAHeadThatRecurs() {
    RequestHead head = RequestHead.of(recurring());
    var plain = new FakeStream();
    var secure = new FakeStream();
    for (int i = 0; i < 2; i++) {
      HopByHopHeaders.send(
          plain, true, head, ORDERS, false, EffectiveTimeout.NONE, 0, HeaderList.EMPTY);
      HopByHopHeaders.send(
          secure, true, head, ORDERS, true, EffectiveTimeout.NONE, 0, HeaderList.EMPTY);

      assertThat(String.valueOf(plain.last().get(KnownName.SCHEME))).isEqualTo("http");
      assertThat(String.valueOf(secure.last().get(KnownName.SCHEME))).isEqualTo("https");
    }
  }

  @Test
  void headsAreReadOnceWhenTheyRecur() {
    CallLoop loop = new CallScript().loop;
    HeaderList list = recurring();

    assertThat(loop.headOf(list)).isSameAs(loop.headOf(list));
    assertThat(loop.headOf(recurring())).as("another object").isNotSameAs(loop.headOf(list));
  }

  private static HeaderList recurring() {
    return HeaderList.builder(4)
        .add(KnownName.METHOD, "POST")
        .add(KnownName.SCHEME, "http")
        .add(KnownName.PATH, "/orders.Orders/Get")
        .buildRecurring();
  }

  /**
   * Fields of other proxies, including those for faults, have no effect, and no such fields are
   * added.
   */
  @Conformance("SC-47")
  @Test
  void fieldsOfOtherProxiesPassAndNoneAreAdded() {
    String[] others = {
      "x-envoy-upstream-rq-timeout-ms", "1",
      "x-envoy-max-retries", "9",
      "x-envoy-fault-delay-request", "5",
      "x-forwarded-for", "192.0.2.1",
      "via", "1.1 other"
    };

    assertThat(upstream(EffectiveTimeout.NONE, others).toString())
        .endsWith(
            "x-envoy-upstream-rq-timeout-ms=1, x-envoy-max-retries=9,"
                + " x-envoy-fault-delay-request=5, x-forwarded-for=192.0.2.1, via=1.1 other");
    assertThat(upstream(EffectiveTimeout.NONE).toString())
        .isEqualTo(":method=POST, :scheme=http, :path=/pkg.Svc/Call, :authority=orders");
  }

  @Test
  void theContextOfATraceReplacesWhatTheAppSentOfIt() {
    RequestHead head = RequestHead.of(Heads.request("traceparent", "app", "x-a", "1"));
    HeaderList context = Heads.headers("traceparent", "ours", "tracestate", "s");

    assertThat(sent(head, ORDERS, EffectiveTimeout.NONE, 0, context).toString())
        .endsWith(":authority=orders, x-a=1, traceparent=ours, tracestate=s");
  }

  @Test
  void anAuthorityIsAddedWhenTheAppSentNone() {
    var bare =
        HeaderList.builder(4)
            .add(KnownName.METHOD, "GET")
            .add(KnownName.SCHEME, "http")
            .add(KnownName.PATH, "/");
    HeaderList withHost = bare.add(new AsciiString("host"), "app").build();

    assertThat(
            sent(RequestHead.of(withHost), ORDERS, EffectiveTimeout.NONE, 0, HeaderList.EMPTY)
                .toString())
        .isEqualTo(":method=GET, :scheme=http, :path=/, :authority=orders");
  }

  @Test
  void aPlainRequestKeepsItsTimeoutField() {
    assertThat(
            upstream(EffectiveTimeout.NONE, "grpc-timeout", "5S").contains(KnownName.GRPC_TIMEOUT))
        .isTrue();
  }

  @Test
  void theTimeoutThatIsLeftReplacesTheApps() {
    HeaderList sent =
        upstream(3_000_000_000L, "content-type", "application/grpc", "grpc-timeout", "5S");

    assertThat(String.valueOf(sent.get(KnownName.GRPC_TIMEOUT))).isEqualTo("3000000u");
    assertThat(sent.field(sent.size() - 1).known()).isEqualTo(KnownName.GRPC_TIMEOUT);
  }

  @ParameterizedTest
  @CsvSource({"target, orders", "preserve, app.local", "fixed.example, fixed.example"})
  void theModeDecidesTheAuthority(String mode, String expected) {
    AuthorityMode authority =
        switch (mode) {
          case "target" -> new AuthorityMode.OfTarget();
          case "preserve" -> new AuthorityMode.Preserve();
          default -> new AuthorityMode.Fixed(mode);
        };
    var script = new CallScript();
    script.forward = script.forward(DefaultSettings.forward(authority, 10, 1000));
    script.ready();

    script.unary();

    assertThat(String.valueOf(script.backend.stream().last().get(KnownName.AUTHORITY)))
        .isEqualTo(expected);
  }

  @Test
  void matchersSeeJoinedValuesButNeitherPseudoNorBinaryFields() {
    RequestHead head = RequestHead.of(Heads.request("x-a", "1", "x-a", "2", "k-bin", "AA"));

    assertThat(head.header("x-a")).isEqualTo("1,2");
    assertThat(head.header(":path")).isNull();
    assertThat(head.header("k-bin")).isNull();
    assertThat(head.header("absent")).isNull();
  }

  private static HeaderList upstream(long timeoutNanos, String... fields) {
    return sent(RequestHead.of(Heads.request(fields)), ORDERS, timeoutNanos, 0, HeaderList.EMPTY);
  }

  private static HeaderList sent(
      RequestHead head,
      HeaderField authority,
      long timeoutNanos,
      int previousAttempts,
      HeaderList context) {
    var stream = new FakeStream();
    HopByHopHeaders.send(
        stream, true, head, authority, false, timeoutNanos, previousAttempts, context);
    return stream.last();
  }
}

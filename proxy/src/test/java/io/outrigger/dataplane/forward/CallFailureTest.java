package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.KnownName;
import io.outrigger.http2.StreamHandler;
import io.outrigger.http2.testing.Heads;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.tree.ClusterHandles;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.testing.Conformance;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests answers of the proxy itself and the handling of backend failures. */
class CallFailureTest {
  private final CallScript script = new CallScript().ready();
  private final FakeBackend backend = script.backend;

  @Conformance("SC-32")
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({":authority, a/b", "host, u:p@h", "host, a?b"})
  void anAuthorityThatIsNoneDoesNotGoUpstream(String name, String value) {
    script.forward =
        script.forward(DefaultSettings.forward(new AuthorityMode.Preserve(), 10, 1000));
    script.ready();
    String[] head = {":method", "POST", ":scheme", "http", ":path", "/a/b", name, value};

    var plain = script.new App();
    plain.call.onHeaders(headers(head), true);
    var grpc = script.new App();
    String[] more = Arrays.copyOf(head, head.length + 2);
    more[head.length] = "content-type";
    more[head.length + 1] = "application/grpc";
    grpc.call.onHeaders(headers(more), true);

    assertThat(plain.stream.log.get(0)).contains(":status=400", "x-outrigger-local=bad_request");
    assertThat(grpc.field("grpc-status")).isEqualTo("13");
    assertThat(grpc.field("grpc-message")).contains("--authority preserve").doesNotContain(value);
    assertThat(script.backend.streams).isEmpty();
  }

  @Conformance("SC-32")
  @Test
  void aRequestThatNamesNoTargetIsTheErrorOfItsCaller() {
    var byAuthority =
        new TargetResolver() {
          @Override
          public Outcome<ForwardTarget> targetFor(CharSequence authority) {
            throw new AssertionError("there is no authority");
          }

          @Override
          public boolean needsAuthority() {
            return true;
          }
        };
    script.forward = script.forward(DefaultSettings.forward(CallScript.NODE), byAuthority);
    var app = script.new App();

    app.call.onHeaders(headers(":method", "POST", ":path", "/a/b", "te", "trailers"), true);

    assertThat(app.stream.log.get(0)).contains(":status=400", "x-outrigger-local=bad_request");
    assertThat(script.ended).containsExactly("INTERNAL/400/bad_request");
  }

  @Test
  void aRequestThatWasRefusedLeavesItsTrace() {
    var sound = headers(":method", "POST", ":path", "/a/b", "content-type", "application/grpc");

    script.forward.onRefused(script.forward.app(), script.loop, sound, "te is not trailers");

    assertThat(script.ended).containsExactly("INTERNAL/200/bad_request");
    assertThat(script.forward.totals().byLocalReason()).containsEntry("bad_request", 1L);
  }

  @Conformance("SC-24")
  @Test
  void aLocalFailureIsOneBlockAndStopsAnAppThatGoesOn() {
    script.fails("no endpoint (xDS node ID: node-1)");

    var done = script.unary();
    var goesOn = script.streaming();
    script.time.run();

    String block =
        "H(:status=200, content-type=application/grpc, grpc-status=14, "
            + "grpc-message=no endpoint (xDS node ID: node-1), "
            + "x-outrigger-local=no_healthy_upstream)!";
    assertThat(done.stream.log).containsExactly(block);
    assertThat(goesOn.stream.log).containsExactly(block, "RST(NO_ERROR)");
  }

  /** A client of Connect that speaks JSON over gRPC takes no other type for an answer. */
  @Conformance("SC-24")
  @Test
  void aLocalFailureHasTheContentTypeOfTheRequest() {
    script.fails("no endpoint");

    var json = script.plain(true, "content-type", "application/grpc+json");
    var endless = script.plain(true, "content-type", "application/grpc+" + "x".repeat(100));

    var proto = script.plain(true, "content-type", "application/grpc+proto");
    var twice = script.plain(true, "content-type", "text/html", "content-type", "application/grpc");

    assertThat(proto.field("content-type")).isEqualTo("application/grpc");
    assertThat(twice.field("content-type")).isEqualTo("application/grpc");
    assertThat(json.field("content-type")).isEqualTo("application/grpc+json");
    assertThat(endless.field("content-type")).isEqualTo("application/grpc");
  }

  /** END_STREAM of the request arrives in the same read as its headers. */
  @Conformance("SC-24")
  @Test
  void aLocalFailureDoesNotResetAnAppThatEndsItsRequestAtOnce() {
    script.fails("no endpoint");

    var unary = script.streaming();
    unary.data("message", true);
    script.time.run();

    assertThat(unary.stream.log).hasSize(1);
    assertThat(unary.stream.credit).isEqualTo("message".length());
  }

  @Conformance("SC-05")
  @ParameterizedTest
  @ValueSource(strings = {"123456789S", "10", "+1S", "1 S", "", "S", "1x"})
  void aMalformedTimeoutIsAnsweredHere(String timeout) {
    var app = script.unary("grpc-timeout", timeout);

    assertThat(app.field("grpc-status")).isEqualTo("13");
    assertThat(app.field("grpc-message"))
        .isEqualTo("malformed grpc-timeout: \"" + timeout + "\"; xDS node ID: node-1");
    assertThat(backend.streams).isEmpty();
  }

  @Test
  void aHeadThatIsTooLargeIsAnsweredHere() {
    var grpc = script.new App();
    grpc.call.onTooLarge(Heads.request("content-type", "application/grpc"), true);
    var other = script.new App();
    other.call.onTooLarge(Heads.request(), true);

    String text = "the request's header list is too large (--max-header-bytes)";
    assertThat(grpc.stream.log)
        .containsExactly(
            "H(:status=200, content-type=application/grpc, grpc-status=8, grpc-message="
                + text
                + "; xDS node ID: node-1, x-outrigger-local=headers_too_large)!");
    assertThat(other.stream.log.get(0)).startsWith("H(:status=431, ");
    assertThat(other.stream.log.get(1)).isEqualTo("D(" + text + "; xDS node ID: node-1\n)!");
    assertThat(backend.streams).isEmpty();
  }

  @Conformance("SC-26")
  @Test
  void otherRequestsGetAStatusAndAText() {
    script.fails("no endpoint");
    var app = script.plain(true);

    assertThat(app.stream.log)
        .containsExactly(
            "H(:status=503, content-type=text/plain; charset=utf-8, content-length=12, "
                + "x-outrigger-local=no_healthy_upstream)",
            "D(no endpoint\n)!");

    script.target.publish(ConfigSelector.failing(RpcStatus.unavailable("x"), false));
    assertThat(script.plain(true).stream.log.get(0)).contains(":status=503");
  }

  @Conformance("SC-26")
  @ParameterizedTest
  @EnumSource(
      value = Http2Error.class,
      names = {"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "CANCEL"})
  void otherRequestsWhoseBackendResetsGet503(Http2Error error) {
    var app = script.plain(true);

    backend.stream().handlerOf().onReset(error);

    assertThat(app.field(":status")).isEqualTo("503");
    assertThat(app.field("x-outrigger-local")).isEqualTo("upstream_reset");
  }

  @Test
  void aHeadRequestGetsNoText() {
    script.fails("no endpoint");
    var app = script.new App();
    var head =
        HeaderList.builder(4)
            .add(KnownName.METHOD, "HEAD")
            .add(KnownName.SCHEME, "http")
            .add(KnownName.PATH, "/x")
            .build();

    app.call.onHeaders(head, true);

    assertThat(app.stream.log).endsWith("D()!");
  }

  @Conformance("SC-27")
  @ParameterizedTest
  @CsvSource({
    "application/grpc, true",
    "application/grpc+proto, true",
    "application/grpc;charset=utf-8, true",
    "Application/GRPC, true",
    "application/grpc-web, false",
    "application/grpc-web+proto, false",
    "application/json, false",
  })
  void theContentTypeTellsGrpc(String contentType, boolean grpc) {
    script.fails("x");

    var app = script.plain(true, "content-type", contentType);

    assertThat(app.stream.blocks.get(0).contains(KnownName.GRPC_STATUS)).isEqualTo(grpc);
  }

  @Conformance("A31-05")
  @Test
  void aRequestWithoutRouteNamesAuthorityAndPath() {
    var app = script.new App();
    var head =
        HeaderList.builder(5)
            .add(KnownName.METHOD, "POST")
            .add(KnownName.SCHEME, "http")
            .add(KnownName.PATH, "*")
            .add(KnownName.CONTENT_TYPE, "application/grpc")
            .build();

    app.call.onHeaders(head, true);

    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(app.field("grpc-message"))
        .isEqualTo("no route for authority \"orders\" and path *; xDS node ID: node-1");
    assertThat(app.field("x-outrigger-local")).isEqualTo("no_route");
    assertThat(backend.streams).isEmpty();
  }

  @Test
  void aPlainRequestWithoutRouteIs404() {
    var app = script.new App();
    var head =
        HeaderList.builder(4)
            .add(KnownName.METHOD, "OPTIONS")
            .add(KnownName.SCHEME, "http")
            .add(KnownName.PATH, "*")
            .build();

    app.call.onHeaders(head, true);

    assertThat(app.stream.log.get(0)).contains(":status=404");
  }

  @Conformance({"SC-23", "A54-01"})
  @ParameterizedTest
  @ValueSource(ints = {0, 3, 5, 6, 9, 10, 11, 15})
  void codesThatALibraryMustNotMakeBecomeInternal(int code) {
    var illegal = new RpcStatus(RpcStatus.Code.ofNumber(code), "from above");
    script.picks(new PickResult.Drop(illegal, PickResult.Reason.OVERLOAD_DROP));

    var app = script.unary();

    assertThat(app.field("grpc-status")).isEqualTo("13");
    assertThat(app.field("grpc-message")).contains("from above").contains(illegal.code().name());
  }

  /** With NO_ERROR, the app would treat the partial response as complete. */
  @Conformance("SC-15")
  @Test
  void aResetWithoutErrorInTheMiddleOfAResponseIsAFailure() {
    var app = script.unary();
    script.respond();
    backend.stream().handlerOf().onReset(Http2Error.NO_ERROR);

    assertThat(app.field("grpc-status")).isEqualTo("13");
    assertThat(app.field("x-outrigger-local")).isEqualTo("upstream_reset");
    assertThat(app.stream.log).hasSize(2).last().asString().endsWith("!");

    var plain = script.plain(true);
    backend.stream().handlerOf().onHeaders(headers(":status", "200"), false);
    backend.stream().handlerOf().onReset(Http2Error.NO_ERROR);

    assertThat(plain.stream.log).endsWith("RST(INTERNAL_ERROR)");
  }

  @Conformance("SC-15")
  @ParameterizedTest
  @CsvSource({
    "CANCEL, 1",
    "ENHANCE_YOUR_CALM, 8",
    "INADEQUATE_SECURITY, 7",
    "NO_ERROR, 13",
    "PROTOCOL_ERROR, 13",
    "INTERNAL_ERROR, 13",
    "STREAM_CLOSED, 13",
    "HTTP_1_1_REQUIRED, 13",
  })
  void aResetBeforeTheHeadIsMapped(Http2Error error, String status) {
    var app = script.unary();

    backend.stream().handlerOf().onReset(error);

    assertThat(app.field("grpc-status")).isEqualTo(status);
    assertThat(app.field("grpc-message")).startsWith("10.0.0.1:80 reset the stream: " + error);
    assertThat(app.field("x-outrigger-local")).isEqualTo("upstream_reset");
    assertThat(backend.outcomes).containsExactly(CallOutcome.FAILURE);
  }

  @Test
  void aResetAfterTheHeadPassesAsItIs() {
    var app = script.unary();
    script.respond();

    backend.stream().handlerOf().onReset(Http2Error.ENHANCE_YOUR_CALM);

    assertThat(app.stream.log).endsWith("RST(ENHANCE_YOUR_CALM)");
    assertThat(script.ended).containsExactly("RESOURCE_EXHAUSTED/200");
  }

  @Test
  void aBackendThatBreaksTheProtocolAfterItsHeadEndsInTrailers() {
    var app = script.unary();
    script.respond();

    backend.stream().handlerOf().onFault(Http2Error.PROTOCOL_ERROR, "te is not trailers");

    assertThat(app.field("grpc-status")).isEqualTo("13");
    assertThat(app.field("grpc-message"))
        .startsWith("10.0.0.1:80 broke the protocol: te is not trailers");
  }

  @Conformance("SC-16")
  @Test
  void aLostConnectionIsUnavailableBeforeAndAfterTheHead() {
    var before = script.unary();
    backend.stream()
        .handlerOf()
        .onConnectionLost(StreamHandler.Refusal.NONE, "socket closed by the peer");
    var after = script.unary();
    script.respond();
    backend.stream()
        .handlerOf()
        .onConnectionLost(StreamHandler.Refusal.NONE, "socket closed by the peer");

    assertThat(before.stream.log).hasSize(1);
    assertThat(before.field("grpc-status")).isEqualTo("14");
    assertThat(before.field("grpc-message"))
        .startsWith("connection to 10.0.0.1:80 lost: socket closed by the peer");
    assertThat(after.stream.log).hasSize(2);
    assertThat(after.field(":status")).isEmpty();
    assertThat(after.field("grpc-status")).isEqualTo("14");
  }

  @Test
  void aLostConnectionEndsWithTheResolutionNoteOrElseTheNode() {
    var plain = script.unary();
    backend.stream()
        .handlerOf()
        .onConnectionLost(StreamHandler.Refusal.NONE, "socket closed by the peer");
    ClusterHandles.note(script.cluster, "aggregate \"all\": all is well");
    backend.note = "cluster \"pay\": the control plane cannot be reached";
    var ambient = script.unary();
    backend.stream()
        .handlerOf()
        .onConnectionLost(StreamHandler.Refusal.NONE, "socket closed by the peer");

    assertThat(plain.field("grpc-message")).endsWith("; xDS node ID: node-1");
    assertThat(ambient.field("grpc-message"))
        .endsWith(
            "lost: socket closed by the peer; cluster \"pay\": the control plane cannot be"
                + " reached");
  }

  @Conformance("SC-17")
  @Test
  void aResponseWithoutStatusIsCompleted() {
    var trailers = script.unary();
    script.respond();
    backend.stream().handlerOf().onHeaders(headers("x-cost", "1"), true);
    var data = script.unary();
    script.respond();
    backend.stream().handlerOf().onData(script.buffer("abc"), true);
    var only = script.unary();
    backend.stream().handlerOf().onHeaders(Heads.responseHead(), true);

    assertThat(trailers.field("grpc-status")).isEqualTo("2");
    assertThat(trailers.field("x-cost")).isEqualTo("1");
    assertThat(data.stream.log.get(1)).isEqualTo("D(abc)");
    assertThat(data.field("grpc-status")).isEqualTo("2");
    assertThat(only.stream.log).hasSize(1);
    assertThat(only.field("grpc-status")).isEqualTo("2");
    assertThat(backend.outcomes).containsOnly(CallOutcome.FAILURE).hasSize(3);
  }

  @Conformance("SC-18")
  @ParameterizedTest
  @CsvSource({
    "400, INTERNAL", "401, UNAUTHENTICATED", "403, PERMISSION_DENIED", "404, UNIMPLEMENTED",
    "429, UNAVAILABLE", "502, UNAVAILABLE", "503, UNAVAILABLE", "504, UNAVAILABLE",
    "418, UNKNOWN", "500, UNKNOWN",
  })
  void anAnswerThatIsNotGrpcPassesUnchangedAndIsAccountedAsItsCode(String status, String code) {
    var app = script.unary();
    HeaderList head = headers(":status", status, "content-type", "text/html");

    backend.stream().handlerOf().onHeaders(head, false);
    backend.stream().handlerOf().onData(script.buffer("<p>"), true);

    assertThat(app.stream.blocks).containsExactly(head);
    assertThat(app.stream.log).endsWith("D(<p>)!");
    assertThat(script.ended).containsExactly(code + "/" + status);
    assertThat(backend.outcomes).containsExactly(CallOutcome.FAILURE);
  }

  @Test
  void aRefusedStreamIsGivenToAnotherBackendOnce() {
    var other = new FakeBackend("10.0.0.2");
    var app = script.unary();
    script.picks(other.use);

    backend.stream().handlerOf().onReset(Http2Error.REFUSED_STREAM);
    script.time.run();
    assertThat(other.streams).hasSize(1);
    assertThat(other.stream().log).isEqualTo(backend.stream().log);

    other.stream().handlerOf().onConnectionLost(StreamHandler.Refusal.OF_CALL, "GOAWAY");
    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(backend.outcomes).containsExactly(CallOutcome.FAILURE);
    assertThat(other.outcomes).containsExactly(CallOutcome.FAILURE);
  }

  @Test
  void aRefusedRequestWhoseBodyIsGoneIsUnavailable() {
    var app = script.streaming();
    app.data("x".repeat(ReplayBuffer.MAX_BYTES + 1), false);

    backend.stream().handlerOf().onConnectionLost(StreamHandler.Refusal.OF_CALL, "GOAWAY NO_ERROR");

    assertThat(app.field("grpc-status")).isEqualTo("14");
  }

  @Test
  void aBodyThatComesBetweenTwoAttemptsIsKept() {
    var app = script.streaming();
    backend.stream().handlerOf().onConnectionLost(StreamHandler.Refusal.OF_CALL, "GOAWAY NO_ERROR");
    app.data("kept", true);
    script.time.run();

    assertThat(backend.streams).hasSize(2);
    assertThat(backend.stream().log).endsWith("D(kept)!");
    assertThat(app.stream.credit).isEqualTo(4);
    script.succeed();
  }

  @Test
  void aLocalMessageIsPercentEncodedAndKeepsTheNodeWhenItIsCut() {
    script.fails("caf\u00e9 100% " + "x".repeat(9000) + " (xDS node ID: node-1)");

    String message = script.unary().field("grpc-message");

    assertThat(message).startsWith("caf%C3%A9 100%25 xx").endsWith("xx... (xDS node ID: node-1)");
    assertThat(message.getBytes(StandardCharsets.US_ASCII)).hasSize(LocalReply.MAX_MESSAGE);
  }

  @Test
  void aCallThatEndsBeforeItHasAStreamCarriesTheNoteOfWhereItIs() {
    ClusterHandles.note(script.cluster, "aggregate \"all\": all is well");
    backend.note = "cluster \"pay\": the control plane cannot be reached";
    script.picks(Samples.QUEUE);
    var unpicked = script.unary("grpc-timeout", "100m");
    script.time.advance(Duration.ofMillis(110));
    backend.mode = FakeBackend.Mode.WAITS;
    script.picks(backend.use);
    var unopened = script.unary("grpc-timeout", "100m");
    script.time.advance(Duration.ofMillis(110));

    assertThat(unpicked.field("grpc-message")).endsWith("; aggregate \"all\": all is well");
    assertThat(unopened.field("grpc-message"))
        .contains("a stream to 10.0.0.1:80")
        .endsWith("; cluster \"pay\": the control plane cannot be reached");
  }
}

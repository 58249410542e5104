package io.outrigger.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.EmptyProtos.Empty;
import io.grpc.testing.integration.Messages.BoolValue;
import io.grpc.testing.integration.Messages.EchoStatus;
import io.grpc.testing.integration.Messages.Payload;
import io.grpc.testing.integration.Messages.ResponseParameters;
import io.grpc.testing.integration.Messages.SimpleRequest;
import io.grpc.testing.integration.Messages.SimpleResponse;
import io.grpc.testing.integration.Messages.StreamingInputCallRequest;
import io.grpc.testing.integration.Messages.StreamingInputCallResponse;
import io.grpc.testing.integration.Messages.StreamingOutputCallRequest;
import io.grpc.testing.integration.Messages.StreamingOutputCallResponse;
import io.grpc.testing.integration.TestServiceGrpc;
import io.grpc.testing.integration.UnimplementedServiceGrpc;
import io.outrigger.program.testing.mesh.ControlPlane;
import io.outrigger.program.testing.mesh.MeshResources;
import io.outrigger.program.testing.mesh.Sidecar;
import io.outrigger.testing.Conformance;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The cases of gRPC's "interop-test-descriptions", by their names there, with the sidecar between
 * client and server.
 */
class InteropIT {
  private static final String TARGET = "interop";
  private static final int LARGE_REQUEST = 271_828;
  private static final int LARGE_RESPONSE = 314_159;
  private static final int[] REQUEST_SIZES = {27_182, 8, 1_828, 45_904};
  private static final int[] RESPONSE_SIZES = {31_415, 9, 2_653, 58_979};
  private static final Metadata.Key<String> ECHO_INITIAL =
      Metadata.Key.of("x-grpc-test-echo-initial", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<byte[]> ECHO_TRAILING =
      Metadata.Key.of("x-grpc-test-echo-trailing-bin", Metadata.BINARY_BYTE_MARSHALLER);
  private static final Metadata.Key<String> REPEATED =
      Metadata.Key.of("x-repeated", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<byte[]> REPEATED_BYTES =
      Metadata.Key.of("x-repeated-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private static InteropBackend backend;
  private static ControlPlane controlPlane;
  private static Sidecar sidecar;
  private static ManagedChannel channel;

  @BeforeAll
  static void start() {
    backend = new InteropBackend();
    controlPlane = new ControlPlane();
    controlPlane.serve(
        new ControlPlane.Mesh(
            MeshResources.listener(TARGET),
            MeshResources.routes(
                List.of(
                    MeshResources.host(
                        TARGET, List.of(MeshResources.route(MeshResources.prefix("/"), "only"))))),
            List.of(MeshResources.cluster("only")),
            List.of(
                MeshResources.assignment(
                    "only", MeshResources.locality("a", 0, 1, backend.port())))),
        "1",
        "1");
    sidecar = Sidecar.start(controlPlane.bootstrap("interop"), TARGET);
    channel = sidecar.channel();
  }

  @AfterAll
  static void stop() {
    Sidecar.shut(channel);
    sidecar.close();
    controlPlane.close();
    backend.close();
  }

  @BeforeEach
  void forget() {
    backend.forget();
  }

  private static TestServiceGrpc.TestServiceBlockingStub blocking() {
    return TestServiceGrpc.newBlockingStub(channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(backend.marks()))
        .withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  private static TestServiceGrpc.TestServiceStub async() {
    return TestServiceGrpc.newStub(channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(backend.marks()));
  }

  private static Payload payload(int bytes) {
    return Payload.newBuilder().setBody(ByteString.copyFrom(new byte[bytes])).build();
  }

  private static SimpleRequest largeRequest() {
    return SimpleRequest.newBuilder()
        .setResponseSize(LARGE_RESPONSE)
        .setPayload(payload(LARGE_REQUEST))
        .build();
  }

  private static StreamingOutputCallRequest output(int requestSize, int... responseSizes) {
    var request = StreamingOutputCallRequest.newBuilder().setPayload(payload(requestSize));
    for (int size : responseSizes) {
      request.addResponseParameters(ResponseParameters.newBuilder().setSize(size));
    }
    return request.build();
  }

  private static StreamingInputCallRequest input(int size) {
    return StreamingInputCallRequest.newBuilder().setPayload(payload(size)).build();
  }

  private static List<Integer> sizes(List<StreamingOutputCallResponse> responses) {
    return responses.stream().map(response -> response.getPayload().getBody().size()).toList();
  }

  private static List<Integer> boxed(int[] sizes) {
    return Arrays.stream(sizes).boxed().toList();
  }

  @Test
  void emptyUnary() {
    assertThat(blocking().emptyCall(Empty.getDefaultInstance()))
        .isEqualTo(Empty.getDefaultInstance());
  }

  @Test
  void largeUnary() {
    SimpleResponse response = blocking().unaryCall(largeRequest());

    assertThat(response.getPayload().getBody())
        .isEqualTo(ByteString.copyFrom(new byte[LARGE_RESPONSE]));
  }

  @Test
  void compressedUnary() {
    SimpleResponse response =
        blocking()
            .withCompression("gzip")
            .unaryCall(
                largeRequest().toBuilder()
                    .setResponseCompressed(BoolValue.newBuilder().setValue(true))
                    .build());

    assertThat(response.getPayload().getBody().size()).isEqualTo(LARGE_RESPONSE);
  }

  @Test
  void clientStreaming() throws Exception {
    var heard = new Heard<StreamingInputCallResponse>();

    StreamObserver<StreamingInputCallRequest> requests = async().streamingInputCall(heard);
    for (int size : REQUEST_SIZES) {
      requests.onNext(input(size));
    }
    requests.onCompleted();

    assertThat(heard.awaitMessage().getAggregatedPayloadSize()).isEqualTo(74_922);
    assertThat(heard.awaitStatus().isOk()).isTrue();
  }

  @Test
  void serverStreaming() throws Exception {
    var heard = new Heard<StreamingOutputCallResponse>();

    async().streamingOutputCall(output(0, RESPONSE_SIZES), heard);

    assertThat(sizes(heard.awaitAll())).isEqualTo(boxed(RESPONSE_SIZES));
  }

  @Conformance("SC-13")
  @Test
  void pingPong() throws Exception {
    var heard = new Heard<StreamingOutputCallResponse>();

    StreamObserver<StreamingOutputCallRequest> requests = async().fullDuplexCall(heard);
    for (int i = 0; i < REQUEST_SIZES.length; i++) {
      requests.onNext(output(REQUEST_SIZES[i], RESPONSE_SIZES[i]));
      assertThat(heard.awaitMessage().getPayload().getBody().size()).isEqualTo(RESPONSE_SIZES[i]);
    }
    requests.onCompleted();

    assertThat(heard.awaitStatus().isOk()).isTrue();
  }

  @Conformance("SC-13")
  @Test
  void halfDuplex() throws Exception {
    var heard = new Heard<StreamingOutputCallResponse>();

    StreamObserver<StreamingOutputCallRequest> requests = async().halfDuplexCall(heard);
    for (int i = 0; i < REQUEST_SIZES.length; i++) {
      requests.onNext(output(REQUEST_SIZES[i], RESPONSE_SIZES[i]));
    }
    requests.onCompleted();

    assertThat(sizes(heard.awaitAll())).isEqualTo(boxed(RESPONSE_SIZES));
  }

  @Test
  void emptyStream() throws Exception {
    var heard = new Heard<StreamingOutputCallResponse>();

    async().fullDuplexCall(heard).onCompleted();

    assertThat(heard.awaitAll()).isEmpty();
  }

  @Test
  void cancelAfterBegin() throws Exception {
    var heard = new Heard<StreamingInputCallResponse>();
    StreamObserver<StreamingInputCallRequest> requests = async().streamingInputCall(heard);
    Metadata unused = backend.awaitHeaders();

    cancel(requests);

    assertThat(heard.awaitStatus().getCode()).isEqualTo(Status.Code.CANCELLED);
    assertThat(backend.awaitCancelled()).isEqualTo("StreamingInputCall");
  }

  @Test
  void cancelAfterFirstResponse() throws Exception {
    var heard = new Heard<StreamingOutputCallResponse>();
    StreamObserver<StreamingOutputCallRequest> requests = async().fullDuplexCall(heard);
    requests.onNext(output(REQUEST_SIZES[0], RESPONSE_SIZES[0]));
    StreamingOutputCallResponse unused = heard.awaitMessage();

    cancel(requests);

    assertThat(heard.awaitStatus().getCode()).isEqualTo(Status.Code.CANCELLED);
    assertThat(backend.awaitCancelled()).isEqualTo("FullDuplexCall");
  }

  private static void cancel(StreamObserver<?> requests) {
    ((ClientCallStreamObserver<?>) requests).cancel("the test says so", null);
  }

  @ParameterizedTest(name = "{0} ms")
  @ValueSource(ints = {1, 100})
  void timeoutOnSleepingServer(int millis) throws Exception {
    var heard = new Heard<StreamingOutputCallResponse>();

    StreamObserver<StreamingOutputCallRequest> requests =
        async().withDeadlineAfter(millis, TimeUnit.MILLISECONDS).fullDuplexCall(heard);
    try {
      requests.onNext(output(REQUEST_SIZES[0]));
    } catch (IllegalStateException alreadyOver) {
      assertThat(alreadyOver).hasMessageContaining("already");
    }

    assertThat(heard.awaitStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
  }

  @Conformance("SC-19")
  @Test
  void statusCodeAndMessage() throws Exception {
    var status = EchoStatus.newBuilder().setCode(2).setMessage("test status message").build();
    var heard = new Heard<StreamingOutputCallResponse>();

    assertUnaryFails(status);
    StreamObserver<StreamingOutputCallRequest> requests = async().fullDuplexCall(heard);
    requests.onNext(StreamingOutputCallRequest.newBuilder().setResponseStatus(status).build());
    requests.onCompleted();

    Status got = heard.awaitStatus();
    assertThat(got.getCode()).isEqualTo(Status.Code.UNKNOWN);
    assertThat(got.getDescription()).isEqualTo("test status message");
  }

  @Conformance("SC-19")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \ud83d\ude08\t\n",
        "100 % of %41 %zz %",
        " leading and trailing ",
      })
  void specialStatusMessage(String message) {
    assertUnaryFails(EchoStatus.newBuilder().setCode(2).setMessage(message).build());
  }

  @Conformance("SC-19")
  @ParameterizedTest(name = "{0}")
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void everyCodeOfTheServerPasses(int code) {
    assertUnaryFails(EchoStatus.newBuilder().setCode(code).setMessage("code " + code).build());
  }

  private static void assertUnaryFails(EchoStatus wanted) {
    var request = SimpleRequest.newBuilder().setResponseStatus(wanted).build();

    assertThatThrownBy(() -> blocking().unaryCall(request))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode().value()).isEqualTo(wanted.getCode());
              assertThat(e.getStatus().getDescription()).isEqualTo(wanted.getMessage());
            });
  }

  @Conformance("SC-30")
  @Test
  void customMetadata() throws Exception {
    var headers = new Metadata();
    headers.put(ECHO_INITIAL, "test_initial_metadata_value");
    headers.put(ECHO_TRAILING, new byte[] {(byte) 0xab, (byte) 0xab, (byte) 0xab});
    for (String value : List.of("b", "a", "b", "")) {
      headers.put(REPEATED, value);
      headers.put(REPEATED_BYTES, value.getBytes(StandardCharsets.UTF_8));
    }
    var gotHeaders = new AtomicReference<Metadata>();
    var gotTrailers = new AtomicReference<Metadata>();

    SimpleResponse unary =
        blocking()
            .withInterceptors(
                MetadataUtils.newAttachHeadersInterceptor(headers),
                MetadataUtils.newCaptureMetadataInterceptor(gotHeaders, gotTrailers))
            .unaryCall(largeRequest());
    assertThat(unary.getPayload().getBody().size()).isEqualTo(LARGE_RESPONSE);
    assertEchoed(gotHeaders.get(), gotTrailers.get());
    assertArrived(backend.awaitHeaders());

    var heard = new Heard<StreamingOutputCallResponse>();
    StreamObserver<StreamingOutputCallRequest> requests =
        async()
            .withInterceptors(
                MetadataUtils.newAttachHeadersInterceptor(headers),
                MetadataUtils.newCaptureMetadataInterceptor(gotHeaders, gotTrailers))
            .fullDuplexCall(heard);
    requests.onNext(output(LARGE_REQUEST, LARGE_RESPONSE));
    requests.onCompleted();
    assertThat(sizes(heard.awaitAll())).containsExactly(LARGE_RESPONSE);
    assertEchoed(gotHeaders.get(), gotTrailers.get());
    assertArrived(backend.awaitHeaders());
  }

  private static void assertEchoed(Metadata headers, Metadata trailers) {
    assertThat(headers.getAll(ECHO_INITIAL)).containsExactly("test_initial_metadata_value");
    assertThat(trailers.getAll(ECHO_TRAILING)).containsExactly(new byte[] {-85, -85, -85});
  }

  private static void assertArrived(Metadata headers) {
    assertThat(headers.getAll(REPEATED)).containsExactly("b", "a", "b", "");
    assertThat(headers.getAll(REPEATED_BYTES))
        .containsExactly(new byte[] {'b'}, new byte[] {'a'}, new byte[] {'b'}, new byte[0]);
  }

  @Test
  void unimplementedMethod() {
    assertThatThrownBy(() -> blocking().unimplementedCall(Empty.getDefaultInstance()))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e ->
                assertUnimplemented(
                    e, "Method grpc.testing.TestService/UnimplementedCall is unimplemented"));
  }

  @Test
  void unimplementedService() {
    var stub =
        UnimplementedServiceGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);

    assertThatThrownBy(() -> stub.unimplementedCall(Empty.getDefaultInstance()))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e ->
                assertUnimplemented(
                    e, "Method not found: grpc.testing.UnimplementedService/UnimplementedCall"));
  }

  /** The server's own words show that it was asked. */
  private static void assertUnimplemented(StatusRuntimeException e, String words) {
    assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
    assertThat(e.getStatus().getDescription()).isEqualTo(words);
  }

  /** rpc_soak and channel_soak: every worker changes its channel now and then. */
  @Test
  void soak() throws Exception {
    int workers = 4;
    int calls = 50;
    var pool = Executors.newFixedThreadPool(workers);
    try {
      List<Callable<Integer>> tasks = new ArrayList<>();
      for (int w = 0; w < workers; w++) {
        tasks.add(() -> soak(calls));
      }
      int answered = 0;
      for (Future<Integer> task : pool.invokeAll(tasks, 600, TimeUnit.SECONDS)) {
        answered += result(task);
      }
      assertThat(answered).isEqualTo(workers * calls);
    } finally {
      pool.shutdownNow();
    }
  }

  private static int soak(int calls) {
    int answered = 0;
    while (answered < calls) {
      ManagedChannel fresh = sidecar.channel();
      try {
        for (int i = 0; i < 10; i++) {
          SimpleResponse response =
              TestServiceGrpc.newBlockingStub(fresh)
                  .withDeadlineAfter(60, TimeUnit.SECONDS)
                  .unaryCall(largeRequest());
          assertThat(response.getPayload().getBody().size()).isEqualTo(LARGE_RESPONSE);
          answered++;
        }
      } finally {
        Sidecar.shut(fresh);
      }
    }
    return answered;
  }

  private static int result(Future<Integer> task) throws InterruptedException {
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    }
  }
}

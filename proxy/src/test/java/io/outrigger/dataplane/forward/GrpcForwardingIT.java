package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.Context;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.EmptyProtos.Empty;
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
import io.grpc.testing.integration.TestServiceImpl;
import io.outrigger.dataplane.downstream.ListenerSettings;
import io.outrigger.dataplane.upstream.UpstreamSettings;
import io.outrigger.http2.ConnectionSettings;
import io.outrigger.http2.ConnectionSettings.Windows;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.program.testing.mesh.MiniMesh;
import io.outrigger.program.testing.mesh.OneRoute;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the sidecar between a client and a server of grpc-java. */
@ParameterizedClass(name = "{0} loops")
@ValueSource(ints = {1, 2})
class GrpcForwardingIT {
  private static final Metadata.Key<String> TEXT =
      Metadata.Key.of("x-text", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<byte[]> BINARY =
      Metadata.Key.of("x-data-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
  private final List<AutoCloseable> toClose = new ArrayList<>();
  private final CountDownLatch cancelled = new CountDownLatch(1);

  private final int loops;

  GrpcForwardingIT(int loops) {
    this.loops = loops;
  }

  @BeforeEach
  void start() {
    toClose.add(timer::shutdownNow);
  }

  @AfterEach
  void closeAll() throws Exception {
    for (int i = toClose.size() - 1; i >= 0; i--) {
      toClose.get(i).close();
    }
  }

  private Server server(NettyServerBuilder builder) throws IOException {
    Server server =
        builder
            .addService(new TestServiceImpl(timer))
            .intercept(new Watcher())
            .maxInboundMessageSize(64 << 20)
            .build()
            .start();
    toClose.add(server::shutdownNow);
    return server;
  }

  /** Records cancellations and returns metadata. */
  private final class Watcher implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      Context.current()
          .addListener(
              context -> {
                if (context.cancellationCause() != null) {
                  cancelled.countDown();
                }
              },
              Runnable::run);
      return next.startCall(echoing(call, headers), headers);
    }

    private <Q, R> ServerCall<Q, R> echoing(ServerCall<Q, R> call, Metadata request) {
      return new SimpleForwardingServerCall<>(call) {
        @Override
        public void sendHeaders(Metadata headers) {
          copy(request, headers);
          super.sendHeaders(headers);
        }

        @Override
        public void close(Status status, Metadata trailers) {
          copy(request, trailers);
          super.close(status, trailers);
        }
      };
    }

    private void copy(Metadata from, Metadata to) {
      Iterable<String> texts = from.getAll(TEXT);
      if (texts != null) {
        texts.forEach(text -> to.put(TEXT, text));
      }
      byte[] data = from.get(BINARY);
      if (data != null) {
        to.put(BINARY, data);
      }
    }
  }

  private MiniMesh mesh(int streamWindow, Server server) throws IOException {
    var http2 =
        ConnectionSettings.DEFAULT.withWindows(new Windows(streamWindow, streamWindow, 1 << 20));
    var mesh =
        new MiniMesh(
            loops,
            MiniMesh.loopback(0),
            new ListenerSettings(100, http2),
            new UpstreamSettings(
                DefaultSettings.CONNECT_TIMEOUT, Optional.empty(), Duration.ZERO, http2));
    toClose.add(mesh);
    mesh.routed(OneRoute.noLimit()).backend(server.getPort());
    return mesh;
  }

  private TestServiceGrpc.TestServiceStub stub(MiniMesh mesh) {
    return TestServiceGrpc.newStub(channel(mesh));
  }

  private TestServiceGrpc.TestServiceBlockingStub blocking(MiniMesh mesh) {
    return TestServiceGrpc.newBlockingStub(channel(mesh)).withDeadlineAfter(300, TimeUnit.SECONDS);
  }

  private ManagedChannel channel(MiniMesh mesh) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", mesh.port())
            .usePlaintext()
            .maxInboundMessageSize(64 << 20)
            .build();
    toClose.add(channel::shutdownNow);
    return channel;
  }

  private static NettyServerBuilder anyPort() {
    return NettyServerBuilder.forAddress(MiniMesh.loopback(0));
  }

  private static Payload payload(int bytes) {
    return Payload.newBuilder().setBody(ByteString.copyFrom(new byte[bytes])).build();
  }

  @Test
  void unaryCallsPassEmptyAndLargeThroughSmallWindows() throws Exception {
    var stub = blocking(mesh(16 << 10, server(anyPort())));

    assertThat(stub.emptyCall(Empty.getDefaultInstance())).isEqualTo(Empty.getDefaultInstance());
    SimpleResponse large =
        stub.unaryCall(
            SimpleRequest.newBuilder()
                .setResponseSize(20 << 20)
                .setPayload(payload(10 << 20))
                .build());
    assertThat(large.getPayload().getBody().size()).isEqualTo(20 << 20);
  }

  @Conformance("SC-13")
  @Test
  void aPingPongIsFullDuplex() throws Exception {
    var stub = stub(mesh(16 << 10, server(anyPort())));
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    StreamObserver<StreamingOutputCallRequest> requests = stub.fullDuplexCall(hearing(heard));

    for (int size : new int[] {31415, 9, 2653, 58979}) {
      requests.onNext(
          StreamingOutputCallRequest.newBuilder()
              .addResponseParameters(ResponseParameters.newBuilder().setSize(size))
              .setPayload(payload(size))
              .build());
      assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo("got " + size);
    }
    requests.onCompleted();
    assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo("OK");
  }

  @Test
  void streamsOfEitherSidePass() throws Exception {
    MiniMesh mesh = mesh(16 << 10, server(anyPort()));
    Iterator<StreamingOutputCallResponse> responses =
        blocking(mesh)
            .streamingOutputCall(
                StreamingOutputCallRequest.newBuilder()
                    .addResponseParameters(ResponseParameters.newBuilder().setSize(100_000))
                    .addResponseParameters(ResponseParameters.newBuilder().setSize(1))
                    .build());
    assertThat(responses.next().getPayload().getBody().size()).isEqualTo(100_000);
    assertThat(responses.next().getPayload().getBody().size()).isEqualTo(1);
    assertThat(responses.hasNext()).isFalse();

    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    StreamObserver<StreamingInputCallRequest> input =
        stub(mesh)
            .streamingInputCall(
                new StreamObserver<StreamingInputCallResponse>() {
                  @Override
                  public void onNext(StreamingInputCallResponse sum) {
                    heard.add("sum " + sum.getAggregatedPayloadSize());
                  }

                  @Override
                  public void onError(Throwable error) {
                    heard.add(error.toString());
                  }

                  @Override
                  public void onCompleted() {
                    heard.add("OK");
                  }
                });
    for (int size : new int[] {27182, 8, 1828, 45904}) {
      input.onNext(StreamingInputCallRequest.newBuilder().setPayload(payload(size)).build());
    }
    input.onCompleted();
    assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo("sum 74922");
  }

  @Conformance("SC-19")
  @Test
  void statusAndMessageOfTheBackendPass() throws Exception {
    var stub = blocking(mesh(64 << 10, server(anyPort())));
    String message =
        "\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \ud83d\ude08\t\n";
    var wanted = EchoStatus.newBuilder().setCode(5).setMessage(message).build();

    assertThatThrownBy(
            () -> stub.unaryCall(SimpleRequest.newBuilder().setResponseStatus(wanted).build()))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
              assertThat(e.getStatus().getDescription()).isEqualTo(message);
            });
  }

  @Conformance("SC-30")
  @Test
  void metadataPassesBothWaysWithDuplicatesAndBytes() throws Exception {
    var headers = new Metadata();
    headers.put(TEXT, "one");
    headers.put(TEXT, "two");
    headers.put(BINARY, new byte[] {0, -1, 10, 13, 127});
    var gotHeaders = new AtomicReference<Metadata>();
    var gotTrailers = new AtomicReference<Metadata>();
    var stub =
        blocking(mesh(64 << 10, server(anyPort())))
            .withInterceptors(
                MetadataUtils.newAttachHeadersInterceptor(headers),
                MetadataUtils.newCaptureMetadataInterceptor(gotHeaders, gotTrailers));

    var unused = stub.emptyCall(Empty.getDefaultInstance());

    for (Metadata got : List.of(gotHeaders.get(), gotTrailers.get())) {
      assertThat(got.getAll(TEXT)).containsExactly("one", "two");
      assertThat(got.get(BINARY)).containsExactly(0, -1, 10, 13, 127);
    }
  }

  @Conformance("SC-12")
  @Test
  void aCancelledCallIsCancelledAtTheBackend() throws Exception {
    var stub = stub(mesh(64 << 10, server(anyPort())));
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    StreamObserver<StreamingOutputCallRequest> requests = stub.fullDuplexCall(hearing(heard));
    requests.onNext(
        StreamingOutputCallRequest.newBuilder()
            .addResponseParameters(ResponseParameters.newBuilder().setSize(1))
            .build());
    assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo("got 1");

    requests.onError(Status.CANCELLED.asRuntimeException());

    assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aDeadlineEndsTheCallOnBothSides() throws Exception {
    MiniMesh mesh = mesh(64 << 10, server(anyPort()));
    var warmUp = blocking(mesh).emptyCall(Empty.getDefaultInstance()); // connects to the backend
    assertThat(warmUp).isNotNull();
    mesh.routed(OneRoute.limit(Duration.ofMillis(100)));
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    var stub = stub(mesh);

    Await.until( // the deadline may pass before the call has reached the backend
        "a call has ended there too",
        () -> {
          StreamObserver<StreamingOutputCallRequest> unused = stub.fullDuplexCall(hearing(heard));
          assertThat(heard.poll(60, TimeUnit.SECONDS))
              .startsWith("DEADLINE_EXCEEDED: deadline exceeded");
          return cancelled.getCount() == 0;
        });
  }

  @Conformance("SC-35")
  @Test
  void backendsThatSendTheirConnectionsAwayAllTheTimeLoseNoCall() throws Exception {
    Server server =
        server(
            anyPort()
                .maxConnectionAge(50, TimeUnit.MILLISECONDS)
                .maxConnectionAgeGrace(60, TimeUnit.SECONDS));
    var stub = blocking(mesh(64 << 10, server));
    var request = SimpleRequest.newBuilder().setResponseSize(100).setPayload(payload(100)).build();
    var failures = new LinkedBlockingQueue<String>();
    var calls = new AtomicInteger();
    var workers = Executors.newFixedThreadPool(8);
    toClose.add(workers::shutdownNow);
    var done = new CountDownLatch(8);

    for (int w = 0; w < 8; w++) {
      workers.execute(
          () -> {
            for (int i = 0; i < 400; i++) {
              try {
                var unused = stub.unaryCall(request);
                calls.incrementAndGet();
              } catch (StatusRuntimeException e) {
                failures.add(e.toString());
              }
            }
            done.countDown();
          });
    }

    assertThat(done.await(300, TimeUnit.SECONDS)).isTrue();
    assertThat(failures).isEmpty();
    assertThat(calls).hasValue(3200);
  }

  private static StreamObserver<StreamingOutputCallResponse> hearing(BlockingQueue<String> heard) {
    return new StreamObserver<>() {
      @Override
      public void onNext(StreamingOutputCallResponse response) {
        heard.add("got " + response.getPayload().getBody().size());
      }

      @Override
      public void onError(Throwable error) {
        Status status = Status.fromThrowable(error);
        heard.add(status.getCode() + ": " + status.getDescription());
      }

      @Override
      public void onCompleted() {
        heard.add("OK");
      }
    };
  }
}

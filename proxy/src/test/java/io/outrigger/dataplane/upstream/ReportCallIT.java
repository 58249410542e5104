package io.outrigger.dataplane.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.xds.data.orca.v3.OrcaLoadReport;
import com.github.xds.service.orca.v3.OrcaLoadReportRequest;
import io.grpc.HandlerRegistry;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.outrigger.base.ControlThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.http2.EventLoops;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.Connector;
import io.outrigger.lb.Transport;
import io.outrigger.lb.Transport.BackendMetricsStream;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.program.testing.mesh.MiniMesh;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.Bytes;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Load reports out of band (A51), from a server that says what the test wants. */
class ReportCallIT {
  private final ControlThread control = new ControlThread("report-call-test");
  private final EventLoops loops = EventLoops.start(EventLoops.TransportKind.AUTO, 1);
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private final AtomicInteger cancelled = new AtomicInteger();
  private final AtomicReference<byte[]> request = new AtomicReference<>();
  private final AtomicReference<@Nullable String> authority = new AtomicReference<>();
  private Consumer<ServerCallStreamObserver<byte[]>> answer = reply -> {};
  private Server server;
  private Connector.Attempt attempt;
  private Transport transport;

  @BeforeEach
  void start() throws Exception {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .fallbackHandlerRegistry(new Reporting())
            .build()
            .start();
    var ready = new AtomicReference<Transport>();
    var connecting = new AtomicReference<Connector.Attempt>();
    var connector =
        new NettyConnector(
                control, loops, DefaultSettings.UPSTREAM, MiniMesh.withoutCertificates(control))
            .of(new SubchannelName.TargetName("", "", "orders"));
    var address = new EndpointAddress("127.0.0.1", server.getPort());
    control.execute(() -> connecting.set(connector.connect(address, 1, listener(ready))));
    Await.until("a connection", () -> ready.get() != null);
    transport = ready.get();
    attempt = connecting.get();
  }

  @AfterEach
  void stop() throws Exception {
    control.execute(attempt::close);
    server.shutdownNow().awaitTermination();
    loops.stop(Duration.ofSeconds(5));
    control.close();
  }

  @Conformance("SC-32")
  @Test
  void reportsAreToldInOrderAndWhatIsNoneIsPassedOver() throws Exception {
    answer =
        reply -> {
          reply.onNext(report(1));
          reply.onNext(new byte[] {-1, -1});
          reply.onNext(new byte[0]);
          reply.onNext(report(2));
        };

    open();

    Await.until("three reports", () -> heard.equals(List.of("1.0", "0.0", "2.0")));
    var asked = OrcaLoadReportRequest.parseFrom(request.get());
    assertThat(asked.getReportInterval().getSeconds()).isEqualTo(7);
    assertThat(asked.getReportInterval().getNanos()).isEqualTo(500_000_000);
    assertThat(authority.get()).isEqualTo("orders");
  }

  @Test
  void closingCancelsTheCallAndNothingIsToldAnyMore() {
    answer = reply -> reply.onNext(report(1));
    BackendMetricsStream stream = open();
    Await.until("a report", () -> !heard.isEmpty());

    control.execute(stream::close);

    Await.until("a cancelled call", () -> cancelled.get() == 1);
    assertThat(heard).containsExactly("1.0");
  }

  @Test
  void theEndOfTheTransportEndsTheCall() {
    answer = reply -> reply.onNext(report(1));
    open();
    Await.until("a report", () -> !heard.isEmpty());

    control.execute(attempt::close);

    Await.until("a cancelled call", () -> cancelled.get() == 1);
    Await.until("its end told", () -> heard.equals(List.of("1.0", "ended")));
  }

  @Test
  void aClosedTransportTellsTheEndAtOnce() {
    control.execute(attempt::close);

    open();

    Await.until("its end told", () -> heard.equals(List.of("ended")));
  }

  @Test
  void aServerThatKnowsNoReportsIsNotToBeAskedAgain() {
    answer = reply -> reply.onError(Status.UNIMPLEMENTED.asRuntimeException());

    open();

    Await.until("its end told", () -> heard.equals(List.of("unsupported")));
  }

  @Test
  void anotherFailureIsAnEnd() {
    answer =
        reply -> {
          reply.onNext(report(1));
          reply.onError(Status.UNAVAILABLE.asRuntimeException());
        };

    open();

    Await.until("its end told", () -> heard.equals(List.of("1.0", "ended")));
  }

  @Test
  void reportsInPiecesArePutTogetherAndHugeOnesRefused() {
    byte[] large =
        OrcaLoadReport.newBuilder()
            .setRpsFractional(3)
            .putNamedMetrics("x".repeat(60_000), 1)
            .build()
            .toByteArray();
    answer =
        reply -> {
          reply.onNext(large);
          reply.onNext(large);
          reply.onNext(new byte[70_000]);
        };

    open();

    Await.until("its end told", () -> heard.equals(List.of("3.0", "3.0", "unsupported")));
    Await.until("a cancelled call", () -> cancelled.get() == 1);
  }

  private BackendMetricsStream open() {
    var opened = new AtomicReference<BackendMetricsStream>();
    var listener =
        new BackendMetricsStream.Listener() {
          @Override
          public void onReport(BackendMetrics report) {
            heard.add(Double.toString(report.qps()));
          }

          @Override
          public void onEnded(boolean unsupported) {
            heard.add(unsupported ? "unsupported" : "ended");
          }
        };
    control.execute(
        () -> opened.set(transport.openBackendMetrics(Duration.ofMillis(7_500), listener)));
    Await.until("the call is made", () -> opened.get() != null);
    return opened.get();
  }

  private static Connector.Listener listener(AtomicReference<Transport> ready) {
    return new Connector.Listener() {
      @Override
      public void onReady(Transport transport) {
        ready.set(transport);
      }

      @Override
      public void onClosed(RpcStatus reason, Connector.Ending ending) {}
    };
  }

  private static byte[] report(double qps) {
    return OrcaLoadReport.newBuilder().setRpsFractional(qps).build().toByteArray();
  }

  private final class Reporting extends HandlerRegistry {
    @Override
    public ServerMethodDefinition<?, ?> lookupMethod(String method, @Nullable String requested) {
      authority.set(requested);
      assertThat(method).isEqualTo("xds.service.orca.v3.OpenRcaService/StreamCoreMetrics");
      return ServerMethodDefinition.create(
          MethodDescriptor.<byte[], byte[]>newBuilder()
              .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(method)
              .setRequestMarshaller(new Bytes())
              .setResponseMarshaller(new Bytes())
              .build(),
          ServerCalls.asyncServerStreamingCall(
              (asked, reply) -> {
                var call = (ServerCallStreamObserver<byte[]>) reply;
                call.setOnCancelHandler(cancelled::incrementAndGet);
                request.set(asked);
                answer.accept(call);
              }));
    }
  }
}

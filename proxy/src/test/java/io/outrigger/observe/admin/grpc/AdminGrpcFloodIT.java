package io.outrigger.observe.admin.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.status.v3.ClientStatusDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.status.v3.ClientStatusRequest;
import io.envoyproxy.envoy.service.status.v3.ClientStatusResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.outrigger.observe.admin.AdminBudget;
import io.outrigger.testing.Await;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.status.XdsStatusView;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers of the admin gRPC server who ask for more than they read. */
@Timeout(600)
class AdminGrpcFloodIT {
  private static final int BIG = 3 << 20;
  private static final long MAX_UNREAD = 10 << 20;

  private final AdminBudget budget = new AdminBudget(MAX_UNREAD);
  private final AtomicInteger views = new AtomicInteger();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private AdminGrpcServer server;

  @BeforeEach
  void start() throws Exception {
    server =
        LoopbackServer.start(
            () -> {
              views.incrementAndGet();
              return CompletableFuture.completedStage(view());
            },
            budget);
  }

  @AfterEach
  void stop() throws Exception {
    for (ManagedChannel channel : channels) {
      channel.shutdownNow().awaitTermination(60, TimeUnit.SECONDS);
    }
    server.close();
  }

  /** One resource, whose name alone is {@link #BIG}. */
  private static XdsStatusView view() {
    var resource =
        new XdsStatusView.Resource(
            "cds",
            ResourceType.CLUSTER.typeUrl(),
            "x".repeat(BIG),
            "acked",
            "1",
            Optional.empty(),
            Optional.of(new RawResource(ResourceType.CLUSTER.typeUrl(), new byte[0])),
            Optional.empty(),
            Optional.empty(),
            List.of());
    return new XdsStatusView(
        List.of(new XdsStatusView.Client("", List.of(), List.of(), List.of(resource))));
  }

  private ManagedChannel channel() {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(server.address())
            .usePlaintext()
            .maxInboundMessageSize(2 * BIG)
            .build();
    channels.add(channel);
    return channel;
  }

  /** What becomes of a call: completed with its status. */
  private static final class Ended extends ClientCall.Listener<ClientStatusResponse> {
    final ClientCall<ClientStatusRequest, ClientStatusResponse> call;
    final CompletableFuture<Status> status = new CompletableFuture<>();

    Ended(ClientCall<ClientStatusRequest, ClientStatusResponse> call) {
      this.call = call;
    }

    @Override
    public void onClose(Status how, Metadata trailers) {
      status.complete(how);
    }
  }

  /** Sends {@code requests} and asks for no message. */
  private Ended stall(
      MethodDescriptor<ClientStatusRequest, ClientStatusResponse> method, int requests) {
    ClientCall<ClientStatusRequest, ClientStatusResponse> call =
        channel().newCall(method, CallOptions.DEFAULT);
    var ended = new Ended(call);
    call.start(ended, new Metadata());
    for (int i = 0; i < requests; i++) {
      call.sendMessage(ClientStatusRequest.getDefaultInstance());
    }
    call.halfClose();
    return ended;
  }

  private ClientStatusResponse fetch() {
    return ClientStatusDiscoveryServiceGrpc.newBlockingStub(channel())
        .fetchClientStatus(ClientStatusRequest.getDefaultInstance());
  }

  @Test
  void aStreamThatIsNotReadIsNotAnsweredFurther() {
    stall(ClientStatusDiscoveryServiceGrpc.getStreamClientStatusMethod(), 100);

    for (int i = 0; i < 20; i++) {
      assertThat(fetch().getSerializedSize()).isGreaterThan(BIG);
    }

    assertThat(views).as("20 of them for the one who reads").hasValueLessThan(20 + 5);
  }

  @Test
  void callsThatAreNotReadAreEndedForOneThatIs() throws Exception {
    List<Ended> stalled = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      int answered = i;
      stalled.add(stall(ClientStatusDiscoveryServiceGrpc.getFetchClientStatusMethod(), 1));
      Await.until("it is older than those that are read", () -> views.get() > answered);
    }

    for (int i = 0; i < 10; i++) {
      assertThat(fetch().getSerializedSize()).isGreaterThan(BIG);
      assertThat(budget.heldBytes()).isLessThanOrEqualTo(MAX_UNREAD);
    }

    int failed = 0;
    for (Ended each : stalled) {
      each.call.request(1); // before that a client does not hear of the end either
      failed += each.status.get(60, TimeUnit.SECONDS).isOk() ? 0 : 1;
    }
    assertThat(failed).isGreaterThanOrEqualTo(7);
  }

  @Test
  void connectionsThatDoNothingKeepNobodyOut() throws Exception {
    server.health(Map.of("", true));
    List<Socket> idle = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        idle.add(new Socket(server.address().getAddress(), server.address().getPort()));
      }

      HealthGrpc.newBlockingStub(channel()).check(HealthCheckRequest.getDefaultInstance());

      idle.get(0).setSoTimeout(60_000);
      idle.get(0).getInputStream().readAllBytes(); // ends
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
  }
}

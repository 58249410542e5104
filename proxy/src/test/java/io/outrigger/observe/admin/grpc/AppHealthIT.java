package io.outrigger.observe.admin.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.stub.ServerCalls;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.RefusingPort;
import io.outrigger.xds.testing.Bytes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code GET /app}: what apps of every kind answer to a health check. */
@Timeout(600)
class AppHealthIT {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final HealthStatusManager status = new HealthStatusManager();
  private final List<Server> servers = new ArrayList<>();

  @AfterEach
  void close() {
    servers.forEach(Server::shutdownNow);
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private String server(NettyServerBuilder builder) throws IOException {
    Server server = builder.build().start();
    servers.add(server);
    return "127.0.0.1:" + server.getPort();
  }

  private String healthServer() throws IOException {
    return server(NettyServerBuilder.forAddress(loopback()).addService(status.getHealthService()));
  }

  private String check(AppHealth health) throws Exception {
    var result = new CompletableFuture<String>();
    loop.inside(() -> health.check().thenAccept(result::complete));
    return result.get(60, TimeUnit.SECONDS);
  }

  @Test
  void anAppServesWhenItSaysSo() throws Exception {
    String app = healthServer();
    var health = new AppHealth(loop, List.of(app));
    assertThat(check(health)).isEmpty();

    status.setStatus("", ServingStatus.NOT_SERVING);
    assertThat(check(health)).as("kept for a second").isEmpty();

    loop.advance(Duration.ofMillis(1001));
    assertThat(check(health)).isEqualTo("app " + app + ": its health check says NOT_SERVING");
  }

  @Test
  void anAppWithoutHealthChecksServesWhenItAcceptsConnections() throws Exception {
    String app = server(NettyServerBuilder.forAddress(loopback()));

    assertThat(check(new AppHealth(loop, List.of(app)))).isEmpty();
  }

  @Test
  void anAnswerThatIsNoHealthCheckResponseIsSaidToBeNone() throws Exception {
    MethodDescriptor<HealthCheckRequest, byte[]> method =
        HealthGrpc.getCheckMethod().toBuilder(
                ProtoUtils.marshaller(HealthCheckRequest.getDefaultInstance()), new Bytes())
            .build();
    String app =
        server(
            NettyServerBuilder.forAddress(loopback())
                .addService(
                    ServerServiceDefinition.builder(HealthGrpc.SERVICE_NAME)
                        .addMethod(
                            method,
                            ServerCalls.asyncUnaryCall(
                                (request, answer) -> {
                                  answer.onNext(new byte[] {(byte) 0xff, 1});
                                  answer.onCompleted();
                                }))
                        .build()));

    assertThat(check(new AppHealth(loop, List.of(app))))
        .isEqualTo("app " + app + ": its answer to a health check is not a HealthCheckResponse");
  }

  @Test
  void eachAppThatDoesNotServeHasALine() throws Exception {
    try (RefusingPort refusing = RefusingPort.any();
        var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String down = "127.0.0.1:" + refusing.number();
      String mute = "127.0.0.1:" + silent.getLocalPort();

      String result = check(new AppHealth(loop, List.of(down, healthServer(), mute)));

      assertThat(result.lines())
          .hasSize(2)
          .contains("app " + down + ": connection refused")
          .contains("app " + mute + ": no answer to a health check within 5 s");
    }
  }
}

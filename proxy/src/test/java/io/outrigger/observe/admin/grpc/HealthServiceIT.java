package io.outrigger.observe.admin.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.outrigger.observe.admin.AdminBudget;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code grpc.health.v1.Health} as a client sees it. */
@Timeout(600)
class HealthServiceIT {
  private AdminGrpcServer server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws Exception {
    server = LoopbackServer.start(() -> new CompletableFuture<>(), new AdminBudget(1 << 20));
    channel = NettyChannelBuilder.forAddress(server.address()).usePlaintext().build();
  }

  @AfterEach
  void stop() throws Exception {
    channel.shutdownNow().awaitTermination(60, TimeUnit.SECONDS);
    server.close();
  }

  @Test
  void everyServiceCanBeCheckedAndWatched() throws Exception {
    assertThat(check("").getStatus()).as("not told yet").isEqualTo(ServingStatus.NOT_SERVING);
    server.health(Map.of("", true, "orders", false));

    assertThat(check("").getStatus()).isEqualTo(ServingStatus.SERVING);
    assertThat(check("orders").getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    var unknown = catchThrowableOfType(StatusRuntimeException.class, () -> check("nobody"));
    assertThat(unknown.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
    var watched = HealthGrpc.newBlockingStub(channel).watch(request("orders"));
    assertThat(watched.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    server.health(Map.of("", true, "orders", true));
    assertThat(watched.next().getStatus()).isEqualTo(ServingStatus.SERVING);
  }

  private HealthCheckResponse check(String service) {
    return HealthGrpc.newBlockingStub(channel).check(request(service));
  }

  private static HealthCheckRequest request(String service) {
    return HealthCheckRequest.newBuilder().setService(service).build();
  }
}

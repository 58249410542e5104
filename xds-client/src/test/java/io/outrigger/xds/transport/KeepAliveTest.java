package io.outrigger.xds.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.base.ControlThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.stream.AdsTransport;
import io.outrigger.xds.testing.ScriptedAdsServer;
import io.outrigger.xds.transport.GrpcAdsTransport.KeepAlive;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A path to the control plane that dies without a word. */
final class KeepAliveTest {
  /** The shortest time that gRPC keeps; the test waits for it. */
  private static final KeepAlive SHORT =
      new KeepAlive(Duration.ofSeconds(10), Duration.ofMillis(200), Duration.ofSeconds(20));

  @Test
  @Conformance("A57-38")
  void aPathThatSwallowsEverythingIsNoticed() throws Exception {
    assertThat(KeepAlive.DEFAULT)
        .isEqualTo(
            new KeepAlive(Duration.ofMinutes(5), Duration.ofSeconds(20), Duration.ofSeconds(20)));
    try (var server = ScriptedAdsServer.start();
        var loop = new ControlThread("control")) {
      var at =
          new XdsServer(
              server.target(),
              new XdsServer.ChannelCredentials.Insecure(),
              List.of(),
              ServerFeatures.NONE);
      var transport = new GrpcAdsTransport(loop, at, SHORT, Map.of());
      var end = new End();
      loop.execute(
          () -> {
            var unused = transport.open(end);
          });
      end.ready.get(60, TimeUnit.SECONDS);

      server.muteConnections();

      RpcStatus status = end.closed.get(60, TimeUnit.SECONDS);
      assertThat(status.code()).isEqualTo(RpcStatus.Code.UNAVAILABLE);
      assertThat(status.message()).containsIgnoringCase("keepalive");
      loop.execute(transport::close);
    }
  }

  private static final class End implements AdsTransport.Listener {
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<RpcStatus> closed = new CompletableFuture<>();

    @Override
    public void onReady() {
      ready.complete(null);
    }

    @Override
    public void onResponse(DiscoveryResponse response) {}

    @Override
    public void onClosed(RpcStatus status) {
      closed.complete(status);
    }
  }
}

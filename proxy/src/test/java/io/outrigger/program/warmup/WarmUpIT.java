package io.outrigger.program.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.ControlThread;
import io.outrigger.base.RandomSource;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.forward.CallLoop;
import io.outrigger.dataplane.upstream.NettyConnector;
import io.outrigger.dataplane.upstream.SubchannelName.TargetName;
import io.outrigger.dataplane.upstream.UpstreamSettings;
import io.outrigger.http2.EventLoops;
import io.outrigger.lb.Connector;
import io.outrigger.program.testing.mesh.MiniMesh;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class WarmUpIT {
  private final ControlThread control = new ControlThread("control");
  private final EventLoops loops = EventLoops.start(EventLoops.TransportKind.AUTO, 2);
  private final Queue<EndpointAddress> dialled = new ConcurrentLinkedQueue<>();

  @AfterEach
  void stop() {
    loops.stop(Duration.ofSeconds(5));
    control.close();
  }

  private WarmUp open(Connector connector, Duration limit) throws Exception {
    return new WarmUp(control, loops, CallLoop.of(loops, RandomSource.SYSTEM), connector, limit);
  }

  @Test
  void everyCallIsAnsweredByOurselvesAndThenAllOfItIsGone() throws Exception {
    var sockets =
        new NettyConnector(
                control, loops, UpstreamSettings.DEFAULT, MiniMesh.withoutCertificates(control))
            .of(new TargetName("", "", ""));
    WarmUp warmUp =
        open(
            (address, maxConnections, listener) -> {
              dialled.add(address);
              return sockets.connect(address, maxConnections, listener);
            },
            Duration.ofSeconds(60)); // each call shall succeed, on any machine

    control.execute(warmUp::start);

    assertThat(warmUp.done().get(120, TimeUnit.SECONDS)).isEqualTo(WarmUp.CALLS);
    assertThat(dialled).hasSize(1).allMatch(address -> address.ip().equals("127.0.0.1"));
    assertRefused(dialled.element().port());
  }

  @Test
  void aBackendThatCannotBeReachedDoesNotHoldTheProcessUp() throws Exception {
    WarmUp warmUp =
        open(
            (address, maxConnections, listener) -> () -> {}, // never comes to anything
            Duration.ofMillis(200));

    control.execute(warmUp::start);

    assertThat(warmUp.done().get(120, TimeUnit.SECONDS)).isZero();
  }

  /** The port closes on its event loop, a moment after it was asked to. */
  private static void assertRefused(int port) throws Exception {
    long last = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (System.nanoTime() < last) {
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        assertThat(socket.isConnected()).isTrue();
        TimeUnit.MILLISECONDS.sleep(5);
      } catch (ConnectException refused) {
        return;
      }
    }
    throw new AssertionError("port " + port + " is still open");
  }
}

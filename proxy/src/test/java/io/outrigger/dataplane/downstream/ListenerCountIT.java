package io.outrigger.dataplane.downstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.http2.EventLoops;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.testing.Await;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each connection that was accepted is counted until its socket is closed. */
@Timeout(120)
final class ListenerCountIT {
  @Test
  void aConnectionThatCannotBeBuiltIsCountedNoLonger() throws Exception {
    EventLoops loops = EventLoops.start(EventLoops.TransportKind.AUTO, 1);
    try {
      var forward =
          new Forward(
              "any",
              DefaultSettings.forward("node-1"),
              authority -> Outcome.failed(RpcStatus.unavailable("no target")),
              call -> {},
              CallTracer.NONE,
              DefaultSettings.MEMORY,
              1);
      var any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      Http2Listener listener =
          Http2Listener.bind(any, loops, List.of(), forward, DefaultSettings.LISTENER); // no loop
      try (var app = new Socket(InetAddress.getLoopbackAddress(), listener.port())) {
        assertThat(app.getInputStream().read()).isEqualTo(-1);
      }

      Await.until("it is counted no longer", () -> listener.connections() == 0);
      listener.drain().get(60, TimeUnit.SECONDS);
    } finally {
      loops.stop(Duration.ofSeconds(2));
    }
  }
}

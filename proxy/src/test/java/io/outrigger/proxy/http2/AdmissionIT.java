package io.outrigger.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.epoll.Epoll;
import io.outrigger.proxy.http2.EventLoops.TransportKind;
import io.outrigger.proxy.testing.Await;
import io.outrigger.proxy.testing.http2.Frames;
import io.outrigger.proxy.testing.http2.RawHttp2;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Hundreds of connections that become ready at one moment, on loopback sockets. */
@Timeout(120)
final class AdmissionIT {
  private static final int CROWD = 200;
  private static final int CALL = 3;

  /** What happened on the loop, in order. */
  private final List<String> events = new CopyOnWriteArrayList<>();

  private final class Told implements ConnectionHandler {
    private final ConnectionHandler echo = new EchoHandler();

    @Override
    public void onReady() {
      echo.onReady();
    }

    @Override
    public StreamHandler onStream(Http2Stream stream) {
      events.add("stream " + stream.id());
      return echo.onStream(stream);
    }

    @Override
    public void onGoAway(int lastStreamId, Http2Error error, String debug) {}

    @Override
    public void onCapacity() {
      echo.onCapacity();
    }

    @Override
    public void onClosed(String reason) {
      events.add("closed");
    }
  }

  /** Meanwhile the loop looks at nothing. */
  private static void whileItStands(Sockets sockets, Runnable whatHappens) {
    var stands = new CountDownLatch(1);
    var goesOn = new CountDownLatch(1);
    Runnable standStill =
        () -> {
          stands.countDown();
          await(goesOn);
        };
    sockets.loops.loop(0).execute(standStill);
    await(stands);
    whatHappens.run();
    goesOn.countDown();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** What the crowd does, and then what one does that has a call open: both at one moment. */
  private void play(TransportKind kind, Consumer<RawHttp2> crowdDoes) throws Exception {
    assumeThat(kind != TransportKind.EPOLL || Epoll.isAvailable()).isTrue();
    try (var sockets = new Sockets(kind, 1)) {
      InetSocketAddress address =
          sockets.listen(
              () -> Http2Connection.server(ConnectionSettings.DEFAULT, made -> new Told()));
      List<RawHttp2> crowd = new ArrayList<>();
      for (int i = 0; i < CROWD; i++) {
        crowd.add(RawHttp2.open(address));
      }
      try (var caller = RawHttp2.open(address)) {
        caller.send(Frames.request(1));
        caller.await(frame -> frame.streamId() == 1);
        events.clear();

        whileItStands(
            sockets,
            () -> {
              crowd.forEach(crowdDoes);
              caller.send(Frames.wholeRequest(CALL));
            });

        Await.until("all are served", () -> events.size() == CROWD + 1);
        assertThat(events.indexOf("stream " + CALL)).isBetween(0, CROWD / 2);
      }
      for (RawHttp2 app : crowd) {
        app.close();
      }
    }
  }

  /**
   * Not with io_uring, which tells of nothing twice: it serves all in the order of their coming.
   */
  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "NIO"})
  void whoCallsIsServedBeforeACrowdThatBegins(TransportKind kind) throws Exception {
    play(kind, app -> app.send(Frames.wholeRequest(1)));
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "NIO"})
  void whoCallsIsServedBeforeACrowdThatLeaves(TransportKind kind) throws Exception {
    play(kind, AdmissionIT::close);
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "NIO"})
  void whoCallsIsServedBeforeACrowdThatIsCutOff(TransportKind kind) throws Exception {
    play(kind, AdmissionIT::abort);
  }

  private static void close(RawHttp2 app) {
    try {
      app.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void abort(RawHttp2 app) {
    try {
      app.abort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.outrigger.dataplane.downstream;

import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.downstream.Admission.Retirement;
import io.outrigger.dataplane.forward.CallLoop;
import io.outrigger.dataplane.forward.Caller;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.dataplane.forward.ForwardedCall;
import io.outrigger.http2.ConnectionHandler;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Connection;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.PeerErrors;
import io.outrigger.http2.SocketView;
import io.outrigger.http2.StreamHandler;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A caller's connection: each stream that the caller opens is a call of the forward (SC-45). */
@LoopConfined
final class DownstreamConnection implements ConnectionHandler {
  private final AcceptedConnections siblings;
  private final long id;
  private final Http2Connection connection;
  private final Forward forward;
  private final Caller caller;
  private final CallLoop loop;
  private final PeerErrors errors;

  private @Nullable ScheduledFuture<?> goAwayTimer;

  private @Nullable ScheduledFuture<?> endTimer;

  DownstreamConnection(
      long id,
      AcceptedConnections siblings,
      Http2Connection connection,
      Forward forward,
      Caller caller,
      CallLoop loop,
      PeerErrors errors) {
    this.errors = errors;
    this.id = id;
    this.siblings = siblings;
    this.connection = connection;
    this.forward = forward;
    this.caller = caller;
    this.loop = loop;
    siblings.add(this);
  }

  long id() {
    return id;
  }

  Caller caller() {
    return caller;
  }

  SocketView view() {
    return connection.view(id);
  }

  void drain() {
    connection.drain();
  }

  void close() {
    connection.close(Http2Error.NO_ERROR, "the proxy stops");
  }

  /**
   * Schedules GOAWAY and the close of this connection, after random delays. Later calls do not
   * change the schedule, because GOAWAY would come early if each call could shorten the delay. Only
   * a GOAWAY delay of zero (the peer is no longer trusted) takes effect at once.
   */
  void retire(@Nullable Retirement retirement) {
    if (retirement == null) {
      return;
    }
    if (goAwayTimer == null || retirement.goAwayDelay().isZero()) {
      cancel(goAwayTimer);
      goAwayTimer = after(retirement.goAwayDelay(), connection::drain);
    }
    if (endTimer == null) {
      endTimer =
          after(
              retirement.closeDelay(),
              () -> connection.close(Http2Error.NO_ERROR, "the listener has changed"));
    }
  }

  private ScheduledFuture<?> after(Duration delay, Runnable task) {
    return connection.eventLoop().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  private static void cancel(@Nullable Future<?> timer) {
    if (timer != null) {
      timer.cancel(false);
    }
  }

  @Override
  public StreamHandler onStream(Http2Stream stream) {
    return new ForwardedCall(forward, caller, loop, stream);
  }

  @Override
  public void onRefused(HeaderList validFields, String reason) {
    forward.onRefused(caller, loop, validFields, reason);
    errors.onRequestRefused(caller.side(), peer(), reason);
  }

  @Override
  public void onEnding(Http2Error error, String reason) {
    errors.onConnectionEnded(caller.side(), error, peer(), reason);
  }

  private String peer() {
    SocketAddress address = connection.remoteAddress();
    return caller.described(
        address == null ? "of forward " + forward.name() : PeerErrors.text(address));
  }

  @Override
  public void onClosed(String reason) {
    cancel(goAwayTimer);
    cancel(endTimer);
    siblings.remove(this);
  }
}

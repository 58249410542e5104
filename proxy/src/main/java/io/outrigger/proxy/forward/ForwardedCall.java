package io.outrigger.proxy.forward;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.proxy.http2.HeaderField;
import io.outrigger.proxy.http2.HeaderList;
import io.outrigger.proxy.http2.Http2Error;
import io.outrigger.proxy.http2.Http2Stream;
import io.outrigger.proxy.http2.StreamHandler;
import io.outrigger.proxy.route.ConfigSelector;
import io.outrigger.proxy.route.ForwardTarget;
import io.outrigger.proxy.route.GrpcTimeout;
import io.outrigger.proxy.route.RouteDecision;
import org.jspecify.annotations.Nullable;

/**
 * The life of one request.
 *
 * <pre>
 * ROUTING   -> PICKING    on route selected; while there is no selector it is parked on the target
 * PICKING   -> OPENING    on Use; on Queue it is parked on the cluster
 * OPENING   -> PICKING    on no stream to be had: nothing was sent
 * OPENING   -> STREAMING  on stream opened: head and held body go out
 * STREAMING -> PICKING    on stream refused with nothing lost; once
 * any       -> DONE       on answered (by the backend or here), or given up by the app
 * </pre>
 *
 * <p>The idea: the app's stream and the backend's are linked through this object and its current
 * {@link Attempt}; what arrives on one goes to the other at once, and credit is returned on one
 * when bytes have left on the other. Nothing is buffered except a body whose backend is not known
 * yet, which one stream window bounds. Every exit passes {@link #finish} exactly once; whatever
 * comes later meets DONE and is let go.
 *
 * <p>A31 "Config Selector"; CONTRACT section 5.
 */
@LoopConfined
final class ForwardedCall implements StreamHandler, PickContext {
  private final Forward forward;
  private final CallLoop loop;
  private final AppSide app;
  private final CallRecord record;
  private final RequestRelay request;
  private final Waiting waiting;
  private final CallDeadline deadline;
  private CallPhase phase = CallPhase.ROUTING;
  private @Nullable RequestHead head;
  private @Nullable ForwardTarget target;
  private @Nullable ClusterHandle cluster;
  private boolean holdsCluster;
  private @Nullable Picker seen;
  private @Nullable RpcStatus lastFailure;
  private @Nullable Attempt attempt;
  private boolean remade;

  ForwardedCall(Forward forward, CallLoop loop, Http2Stream stream) {
    this.forward = forward;
    this.loop = loop;
    app = new AppSide(stream);
    record = new CallRecord(forward.stats(loop));
    request = new RequestRelay(app, record);
    waiting = new Waiting(forward.waiting(), loop, this);
    deadline = new CallDeadline(loop, this);
  }

  @Override
  public int loop() {
    return loop.index();
  }

  boolean isGrpc() {
    return head().isGrpc();
  }

  @Override
  public void onHeaders(HeaderList headers, boolean endStream) {
    if (head == null) {
      start(headers, endStream);
    } else if (phase != CallPhase.DONE) {
      request.onTrailers(headers, isGrpc());
      finishIfBothEnded();
    }
  }

  private void start(HeaderList headers, boolean endStream) {
    head = RequestHead.of(headers);
    record.started(head);
    if (endStream) {
      app.onRequestEnd();
    }
    long appNanos = head.appTimeoutNanos();
    if (appNanos == GrpcTimeout.MALFORMED) { // SC-05
      reply(CallFailures.malformedTimeout(head.timeoutText()), LocalReason.BAD_REQUEST);
      return;
    }
    deadline.limit(appNanos);
    if (appNanos == 0) { // SC-06
      onDeadline();
      return;
    }
    Outcome<ForwardTarget> resolved = forward.targetFor(head);
    if (resolved instanceof Outcome.Ok<ForwardTarget> ok) {
      target = ok.value();
      route();
    } else {
      reply(resolved.status(), LocalReason.OVERLOAD);
    }
  }

  @Override
  public void onData(ByteBuf data, boolean endStream) {
    if (phase == CallPhase.DONE) {
      app.discard(data);
      return;
    }
    if (!request.isOpen() && !waiting.hold(data.readableBytes())) {
      data.release();
      overloaded();
      return;
    }
    request.onData(data, endStream);
    finishIfBothEnded();
  }

  @Override
  public void onDataSent(int bytes) {
    if (phase == CallPhase.DONE) {
      app.onSent();
    } else if (attempt != null) {
      attempt.returnCredit(bytes);
    }
  }

  @Override
  public void onReset(Http2Error error, boolean byPeer) {
    onAppGone();
  }

  @Override
  public void onConnectionLost(boolean refused, String reason) {
    onAppGone();
  }

  private void onAppGone() { // SC-12
    app.gone();
    if (phase != CallPhase.DONE) {
      record.cancelled();
      finish();
    }
  }

  // Routing and picking.

  private void route() {
    ForwardTarget from = requireNonNull(target);
    ConfigSelector refusing = null;
    while (true) {
      ConfigSelector selector = from.selector();
      if (selector == null) {
        if (!takeSeat() || waiting.parkOn(from)) {
          return;
        }
        continue;
      }
      if (selector == refusing) { // a cluster is retired only after the selector was replaced
        reply(CallFailures.retiredCluster(), LocalReason.XDS_ERROR);
        return;
      }
      RouteDecision decision = selector.select(head(), loop.random());
      if (decision != null) {
        onDecision(decision);
        return;
      }
      refusing = selector;
    }
  }

  private void onDecision(RouteDecision decision) {
    if (decision instanceof RouteDecision.Reject reject) {
      reply(reject.status(), LocalReason.of(reject.reason()));
      return;
    }
    var chosen = (RouteDecision.Forward) decision;
    cluster = chosen.cluster();
    holdsCluster = true;
    record.cluster(cluster.name());
    to(CallPhase.PICKING);
    deadline.limit(chosen.limit().forRequest(deadline.limitNanos()));
    if (deadline.isOver()) {
      onDeadline();
    } else {
      pick();
    }
  }

  /** Picks until the call is on its way, waits, or is answered. Ends: it waits for publishes. */
  private void pick() {
    ClusterHandle from = requireNonNull(cluster);
    do {
      Picker picker = from.picker();
      seen = picker;
      PickResult result = picker.pick(this);
      if (result instanceof PickResult.Use use) {
        if (open(use.subchannel())) {
          return;
        }
      } else if (result instanceof PickResult.Fail fail) {
        if (!head().waitsForReady()) {
          reply(fail.status(), LocalReason.NO_HEALTHY_UPSTREAM);
          return;
        }
        lastFailure = fail.status();
      } else if (result instanceof PickResult.Drop drop) { // SC-21: even when it waits for ready
        reply(drop.status(), LocalReason.of(drop.reason()));
        return;
      }
    } while (!parkForPick());
  }

  /** True when the call waits, or was answered because there is no room to wait. */
  private boolean parkForPick() {
    return !takeSeat() || waiting.parkOn(requireNonNull(cluster), requireNonNull(seen));
  }

  /** Whether there is room to wait; when not, answers and ends the call. */
  private boolean takeSeat() {
    boolean seated = waiting.takeSeat(head().headers());
    if (!seated) {
      overloaded();
    }
    return seated;
  }

  /** False when there was no transport: nothing was sent, and a newer picker comes or is there. */
  private boolean open(Subchannel subchannel) {
    to(CallPhase.OPENING);
    var next = new Attempt(this, subchannel, app, record, forward);
    attempt = next;
    if (!next.start()) {
      to(CallPhase.PICKING);
      return false;
    }
    if (next.isWaiting()) {
      takeSeat(); // without one it is answered: in hand either way
    }
    return true;
  }

  /** Goes on after a wait; the call may have ended meanwhile. */
  void resume() {
    if (phase == CallPhase.ROUTING) {
      route();
    } else if (phase == CallPhase.PICKING) {
      pick();
    }
  }

  // What the attempt reports.

  /** Nothing was sent, and nothing will be: waits for the next picker. */
  void onNotSent() {
    to(CallPhase.PICKING);
    if (!parkForPick()) {
      pick();
    }
  }

  void onStreamOpen(Http2Stream upstream) {
    if (deadline.isOver()) {
      onDeadline();
      return;
    }
    to(CallPhase.STREAMING);
    waiting.leave();
    HeaderField timeout = isGrpc() ? deadline.header() : null;
    HeaderField authority = forward.authorityFor(head(), requireNonNull(target));
    request.open(upstream, HopHeaders.upstream(head(), authority, timeout));
  }

  /** No further pick can happen from here on (A31-08). */
  void onResponseStarted() {
    releaseCluster();
  }

  /** The response is complete; a plain request may still have something to say to the backend. */
  void onResponseEnd() {
    if (isGrpc() || app.requestEnded()) {
      finish();
    }
  }

  /**
   * The backend's stream ended before it had said all.
   *
   * @param refused the backend promises that it did nothing with the request
   * @param relayed what an app that saw the head is told; null: trailers with {@code failure}
   */
  void onUpstreamFailed(
      Attempt ended, boolean refused, @Nullable Http2Error relayed, RpcStatus failure) {
    if (refused && remake(ended)) {
      return;
    }
    if (ended.response().hasEnded()) {
      finish(); // the backend needs no more of the request
    } else if (deadline.isOver()) {
      onDeadline(); // the backend keeps the same time, and its clock was a tick ahead (SC-11)
    } else if (relayed != null && ended.response().hasBegun()) {
      record.grpcStatus(failure.code());
      app.reset(relayed);
      finish();
    } else {
      reply(failure, LocalReason.UPSTREAM_RESET);
    }
  }

  /**
   * Gives a refused request to another backend: once, and if nothing of it is lost. In a task of
   * its own, since the connection that loses its streams may not know yet that it goes away.
   */
  private boolean remake(Attempt refused) {
    if (remade || request.hasSentAny() || refused.response().hasBegun()) {
      return false;
    }
    remade = true;
    request.close();
    to(CallPhase.PICKING);
    loop.execute(this::resume);
    return true;
  }

  // Ends.

  void onDeadline() {
    if (phase == CallPhase.DONE) {
      return;
    }
    if (attempt != null && attempt.response().hasEnded()) {
      finish(); // answered in full; only the request goes on
      return;
    }
    long limit = deadline.limitNanos();
    reply(
        CallFailures.deadline(limit, target, cluster, attempt, lastFailure), LocalReason.DEADLINE);
  }

  private void overloaded() {
    reply(CallFailures.queueFull(forward.name()), LocalReason.OVERLOAD);
  }

  private void reply(RpcStatus status, LocalReason reason) {
    RpcStatus noted = LocalReply.noted(status, reason, forward.settings().nodeId());
    record.local(noted, reason);
    app.reply(head(), noted, reason);
    finish();
  }

  private void finishIfBothEnded() {
    if (attempt != null && attempt.response().hasEnded() && app.requestEnded()) {
      finish();
    }
  }

  /** The one exit: ends what is still open on either side, releases, and counts. */
  private void finish() {
    to(CallPhase.DONE);
    deadline.cancel();
    waiting.leave();
    request.release();
    if (attempt != null) {
      attempt.finish(app.requestEnded());
    }
    releaseCluster();
    app.stop();
    record.ended(deadline.elapsedNanos());
    forward.observer().onEnded(record);
  }

  private void releaseCluster() {
    if (holdsCluster && cluster != null) {
      holdsCluster = false;
      cluster.release();
    }
  }

  private void to(CallPhase next) {
    phase = phase.to(next);
  }

  private RequestHead head() {
    return requireNonNull(head);
  }
}

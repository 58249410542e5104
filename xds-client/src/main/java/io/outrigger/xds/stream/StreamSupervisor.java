package io.outrigger.xds.stream;

import io.outrigger.base.Backoff;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.WireNode;
import io.outrigger.xds.status.XdsStatusView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Keeps one ADS stream to one server open while the server has subscriptions (A57 "Handling ADS
 * Stream Termination", "Handling Connectivity Failure").
 *
 * <pre>
 * IDLE    -> OPEN     on first subscription
 * OPEN    -> WAITING  on stream ended; without a response it is a connectivity failure
 * WAITING -> OPEN     on back-off elapsed, measured from the start of the previous stream
 * WAITING -> IDLE     on back-off elapsed without subscriptions
 * any     -> IDLE     on last authority released
 * any     -> CLOSED   on close
 * </pre>
 */
@ControlConfined
final class StreamSupervisor {
  private sealed interface Phase {
    record Idle() implements Phase {}

    record Open(AdsSession session, long sinceNanos) implements Phase {}

    record Waiting(TimerHandle retry) implements Phase {}

    record Closed() implements Phase {}
  }

  private final ControlLoop loop;
  private final AdsTransport transport;
  private final WireNode node;
  private final AdsLog log;
  private final List<Authority> users = new ArrayList<>();
  private final ServerSubscriptions subscriptions = new ServerSubscriptions();
  private final ResourceTimers timers;
  private final ResponseHandler handler;
  private final Backoff backoff;
  private final Map<ResourceType<?>, String> acceptedVersions = new HashMap<>();
  private Phase phase = new Phase.Idle();
  private boolean attached;
  private boolean hasResponded;
  private long streams;
  private long outages;
  private Optional<RpcStatus> outage = Optional.empty(); // from a failure until the next response
  private Optional<XdsStatusView.Failure> lastError = Optional.empty();

  StreamSupervisor(
      ControlLoop loop,
      Executor decoding,
      RandomSource random,
      XdsServer server,
      AdsTransport transport,
      WireNode node,
      IncrementalDecoder decoder,
      CurrentOverlay overlay,
      AdsObserver observer) {
    this.loop = loop;
    this.transport = transport;
    this.node = node;
    this.log = new AdsLog(loop, transport.title(), observer);
    timers = new ResourceTimers(loop, server.features());
    handler =
        new ResponseHandler(
            loop, decoding, server, transport.name(), subscriptions, timers, decoder, overlay, log);
    backoff = new Backoff(random);
  }

  void serve(Authority user) {
    users.add(user);
    subscriptions.add(user.subscriptions());
    onSubscriptionsChanged();
  }

  void release(Authority user) {
    users.remove(user);
    subscriptions.remove(user.subscriptions());
    timers.stop(user.subscriptions().all());
    if (users.isEmpty()) {
      end(new Phase.Idle());
      outage = Optional.empty();
      forgetVersions();
    } else {
      onSubscriptionsChanged();
    }
  }

  /**
   * Forgets the accepted versions, so that later requests contain no version. A server that
   * receives a version could omit unchanged resources, although resources of another server have
   * replaced them. If the open stream has not received a response yet, a new stream replaces it,
   * because the requests of the old stream contained versions.
   */
  void forgetVersions() {
    boolean hadVersions = !acceptedVersions.isEmpty();
    acceptedVersions.clear();
    if (hadVersions && outage.isPresent() && phase instanceof Phase.Open) {
      end(new Phase.Idle());
      open();
    }
  }

  /** Returns why the server cannot be reached; empty after the next response of the server. */
  Optional<RpcStatus> outage() {
    return outage;
  }

  boolean hasResponded() {
    return hasResponded;
  }

  String server() {
    return transport.name();
  }

  XdsStatusView.Server status() {
    return new XdsStatusView.Server(
        transport.name(),
        !users.isEmpty(),
        attached,
        streams > 0 && !users.isEmpty() && outage.isEmpty(),
        lastError,
        streams,
        log.failures(),
        outages,
        log.nacks(),
        log.updates());
  }

  void onSubscriptionsChanged() {
    if (phase instanceof Phase.Open open) {
      open.session().onSubscriptionsChanged();
    } else if (phase instanceof Phase.Idle && !subscriptions.isEmpty()) {
      open();
    }
  }

  void close() {
    end(new Phase.Closed());
  }

  private void end(Phase next) {
    Phase before = phase;
    phase = next;
    attached = false;
    if (before instanceof Phase.Open open) {
      open.session().close();
    } else if (before instanceof Phase.Waiting waiting) {
      waiting.retry().cancel();
    }
  }

  void onReady() {
    attached = true;
    log.onConnected(transport.name());
  }

  /** Called before the session handles the first response of the stream. */
  void onFirstResponse() {
    backoff.reset(); // a rejected response counts as well (A57-03)
    outage = Optional.empty();
    hasResponded = true;
    timers.onFirstResponse(subscriptions.all());
    // A88-27: any response shows that the server can be reached again.
    List.copyOf(users).forEach(user -> user.onResponded(this));
  }

  void onEnded(boolean responded, RpcStatus reason) {
    if (!(phase instanceof Phase.Open open)) {
      throw new IllegalStateException("a stream ended in " + phase);
    }
    attached = false;
    // The back-off counts from the start of the stream (A57-05, A57-07).
    Duration delay = backoff.next().minusNanos(loop.nanoTime() - open.sinceNanos());
    phase = new Phase.Waiting(loop.schedule(delay, this::onBackoffElapsed));
    if (responded) {
      log.onClosed(transport.name(), reason); // not an error (A57-02)
      return;
    }
    var failure =
        RpcStatus.unavailable(
            "xDS server %s cannot be reached: %s".formatted(transport.name(), cause(reason)));
    outages += outage.isEmpty() ? 1 : 0;
    outage = Optional.of(failure);
    lastError = Optional.of(new XdsStatusView.Failure(failure, loop.now()));
    log.onFailed(transport.name(), reason);
    List.copyOf(users).forEach(Authority::onOutage);
  }

  private static String cause(RpcStatus reason) {
    if (reason.isOk()) {
      return "it closed the stream without a response";
    }
    return reason.code() == RpcStatus.Code.UNAVAILABLE ? reason.message() : reason.toString();
  }

  private void onBackoffElapsed() {
    if (subscriptions.isEmpty()) {
      phase = new Phase.Idle();
    } else {
      open();
    }
  }

  private void open() {
    var session = new AdsSession(transport, node, acceptedVersions, handler, this);
    phase = new Phase.Open(session, loop.nanoTime());
    streams++;
    session.start();
  }
}

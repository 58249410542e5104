package io.outrigger.xds.stream;

import io.envoyproxy.envoy.config.core.v3.Node;
import io.outrigger.base.Backoff;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.cache.CacheEvent;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.status.XdsStatusView;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps one ADS stream to one server open while anything is subscribed (A57 "Handling ADS Stream
 * Termination", "Handling Connectivity Failure").
 *
 * <pre>
 * IDLE    -> OPEN     on first subscription
 * OPEN    -> WAITING  on stream ended; without a response it is a connectivity failure
 * WAITING -> OPEN     on back-off elapsed, measured from the start of the stream before
 * WAITING -> IDLE     on back-off elapsed with nothing subscribed
 * any     -> CLOSED   on close
 * </pre>
 */
@ControlConfined
final class StreamSupervisor implements AdsSession.Owner {
  private sealed interface Phase {
    record Idle() implements Phase {}

    record Open(AdsSession session, long sinceNanos) implements Phase {}

    record Waiting(TimerHandle retry) implements Phase {}

    record Closed() implements Phase {}
  }

  private final ControlLoop loop;
  private final AdsTransport transport;
  private final Node node;
  private final ServerFeatures features;
  private final AdsObserver observer;
  private final AdsCounters counters = new AdsCounters();
  private final Subscriptions subscriptions;
  private final ResourceTimers timers;
  private final ResponseHandler handler;
  private final Backoff backoff;
  private final Map<ResourceType<?>, String> acceptedVersions =
      new HashMap<>(); // outlive streams (A57-26)
  private Phase phase = new Phase.Idle();
  private boolean attached;
  private long streams;
  private Optional<RpcStatus> outage = Optional.empty(); // from a failure until the next response
  private Optional<XdsStatusView.Failure> lastError = Optional.empty();

  StreamSupervisor(
      ControlLoop loop,
      RandomSource random,
      XdsServer server,
      AdsTransport transport,
      Node node,
      ResponseDecoder decoder,
      DecodeContext context,
      AdsObserver observer) {
    this.loop = loop;
    this.transport = transport;
    this.node = node;
    this.features = server.features();
    this.observer = AdsObserver.all(new AdsLog(), counters, observer);
    subscriptions = new Subscriptions(loop, this::onSubscriptionsChanged);
    timers = new ResourceTimers(loop, features);
    handler =
        new ResponseHandler(
            loop,
            transport.name(),
            features,
            subscriptions,
            new IncrementalDecoder(decoder, context),
            this.observer);
    backoff = new Backoff(random);
  }

  Subscriptions subscriptions() {
    return subscriptions;
  }

  XdsStatusView.Server status() {
    return new XdsStatusView.Server(
        transport.name(),
        attached,
        streams > 0 && outage.isEmpty(),
        lastError,
        streams,
        counters.failures(),
        counters.nacks(),
        counters.updates());
  }

  void close() {
    Phase before = phase;
    phase = new Phase.Closed();
    attached = false;
    if (before instanceof Phase.Open open) {
      open.session().close();
    } else if (before instanceof Phase.Waiting waiting) {
      waiting.retry().cancel();
    }
    transport.close();
  }

  @Override
  public void onReady() {
    attached = true;
    observer.onConnected(transport.name());
  }

  @Override
  public void onFirstResponse() {
    backoff.reset(); // a response that is refused counts as well (A57-03)
    outage = Optional.empty();
    // A88-27: whatever the response is about, the server can be reached again.
    subscriptions.all().forEach(this::applyRecovery);
  }

  @Override
  public void onEnded(boolean responded, RpcStatus reason) {
    if (!(phase instanceof Phase.Open open)) {
      throw new IllegalStateException("a stream ended in " + phase);
    }
    attached = false;
    // Time already spent counts (A57-05, A57-07): a floor from start to start stops a server that
    // answers and closes from being hit in a loop.
    Duration spent = Duration.ofNanos(loop.nanoTime() - open.sinceNanos());
    phase = new Phase.Waiting(loop.schedule(backoff.next().minus(spent), this::onBackoffElapsed));
    if (responded) {
      observer.onClosed(transport.name(), reason); // no error: A57-02
      return;
    }
    var failure =
        RpcStatus.unavailable(
            "xDS server %s cannot be reached: %s"
                .formatted(
                    transport.name(),
                    reason.isOk() ? "it closed the stream without a response" : reason));
    outage = Optional.of(failure);
    lastError = Optional.of(new XdsStatusView.Failure(failure, loop.now()));
    observer.onFailed(transport.name(), reason);
    subscriptions.all().forEach(subscription -> applyFailure(subscription, failure));
  }

  private void onSubscriptionsChanged() {
    // Who comes during an outage need not wait for the next attempt to fail (A57-09).
    outage.ifPresent(
        failure ->
            subscriptions.all().stream()
                .filter(subscription -> subscription.entry().streamError().isEmpty())
                .forEach(subscription -> applyFailure(subscription, failure)));
    if (phase instanceof Phase.Open open) {
      open.session().onSubscriptionsChanged();
    } else if (phase instanceof Phase.Idle && !subscriptions.isEmpty()) {
      open();
    }
  }

  private void onBackoffElapsed() {
    if (subscriptions.isEmpty()) {
      phase = new Phase.Idle();
    } else {
      open();
    }
  }

  private void open() {
    var session =
        new AdsSession(
            loop,
            transport.name(),
            node,
            acceptedVersions,
            subscriptions,
            timers,
            handler,
            observer,
            this);
    phase = new Phase.Open(session, loop.nanoTime());
    streams++;
    session.start(transport);
  }

  private <T> void applyFailure(Subscription<T> subscription, RpcStatus failure) {
    subscription.apply(new CacheEvent.StreamFailed<>(failure), features);
  }

  private <T> void applyRecovery(Subscription<T> subscription) {
    subscription.apply(new CacheEvent.StreamRecovered<>(), features);
  }
}

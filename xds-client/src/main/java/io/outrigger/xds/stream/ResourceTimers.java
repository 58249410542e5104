package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.cache.CacheEvent;
import java.time.Duration;
import java.util.List;

/**
 * The does-not-exist timers of one server (A57 "Handling Resources That Do Not Exist"). The session
 * starts the timer of a resource when the stream is attached to a connection and has requested the
 * resource for the first time. The timer stops when the server answers, when the stream ends, or
 * when the subscription ends.
 *
 * <p>If a timer elapses while a response is being decoded, it starts again with the duration {@link
 * #RETRY}, because this response, or a later response, may contain the resource.
 */
@ControlConfined
final class ResourceTimers {
  static final Duration TIMEOUT = Duration.ofSeconds(15); // A57
  static final Duration TRANSIENT_TIMEOUT = Duration.ofSeconds(30); // A88 "Resource Timer"

  private static final Duration RETRY = Duration.ofSeconds(1);

  private final ControlLoop loop;
  private final ServerFeatures features;
  private boolean isDecoding; // whether a response of the stream is being decoded
  private boolean hasResponse; // whether the stream has received a response

  ResourceTimers(ControlLoop loop, ServerFeatures features) {
    this.loop = loop;
    this.features = features;
  }

  void start(Subscription<?> subscription) {
    if (!subscription.entry().awaitsAnswer()) {
      return; // the resource is in use (A57-18) or known to be missing (A57-19)
    }
    if (subscription.entry().isStale() && !hasResponse) {
      return; // a server that does not respond takes no stale resource out of use
    }
    start(subscription, limit());
  }

  private void start(Subscription<?> subscription, Duration left) {
    subscription.timerStarted(this, loop.schedule(left, () -> onElapsed(subscription)));
  }

  /** Starts the timers of stale resources. Called before the first response is read. */
  void onFirstResponse(List<Subscription<?>> subscriptions) {
    hasResponse = true;
    subscriptions.stream().filter(each -> each.entry().isStale()).forEach(this::start);
  }

  void setDecoding(boolean decoding) {
    isDecoding = decoding;
  }

  void stop(List<Subscription<?>> subscriptions) {
    subscriptions.forEach(subscription -> subscription.stopTimer(this));
  }

  /** Stops the timers; the next stream requests the resources again (A57-17). */
  void onStreamEnded(List<Subscription<?>> subscriptions) {
    isDecoding = false;
    hasResponse = false;
    stop(subscriptions);
  }

  private void onElapsed(Subscription<?> subscription) {
    if (isDecoding) {
      start(subscription, RETRY);
    } else {
      fire(subscription);
    }
  }

  private <T> void fire(Subscription<T> subscription) {
    subscription.apply(new CacheEvent.TimerFired<>(message(subscription), loop.now()), features);
  }

  private Duration limit() {
    return features.resourceTimerIsTransientError() ? TRANSIENT_TIMEOUT : TIMEOUT;
  }

  private String message(Subscription<?> subscription) {
    String state = features.resourceTimerIsTransientError() ? "is not known yet" : "does not exist";
    return "%s %s: the control plane did not send it within %ds"
        .formatted(subscription.subject(), state, limit().toSeconds());
  }
}

package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.cache.CacheEvent;
import java.time.Duration;

/**
 * The does-not-exist timers (A57 "Handling Resources That Do Not Exist"). The session starts one
 * once its stream asked for the resource for the first time <em>and</em> is attached to a
 * connection; an answer stops it, and so does the end of the stream or of the subscription.
 */
@ControlConfined
final class ResourceTimers {
  static final Duration TIMEOUT = Duration.ofSeconds(15); // A57
  static final Duration TRANSIENT_TIMEOUT = Duration.ofSeconds(30); // A88 "Resource Timer"

  private final ControlLoop loop;
  private final ServerFeatures features;

  ResourceTimers(ControlLoop loop, ServerFeatures features) {
    this.loop = loop;
    this.features = features;
  }

  /** Starts the timer of a resource, if an answer about it is outstanding. */
  <T> void start(Subscription<T> subscription) {
    if (!subscription.entry().awaitsAnswer()) {
      return; // in use (A57-18), or declared missing before (A57-19)
    }
    Duration limit = features.resourceTimerIsTransientError() ? TRANSIENT_TIMEOUT : TIMEOUT;
    subscription.timerStarted(
        loop.schedule(
            limit,
            () ->
                subscription.apply(
                    new CacheEvent.TimerFired<>(message(subscription, limit), loop.now()),
                    features)));
  }

  private String message(Subscription<?> subscription, Duration limit) {
    String verdict =
        features.resourceTimerIsTransientError() ? " is not known yet" : " does not exist";
    return subscription.subject()
        + verdict
        + ": the control plane did not send it within "
        + limit.toSeconds()
        + "s";
  }
}

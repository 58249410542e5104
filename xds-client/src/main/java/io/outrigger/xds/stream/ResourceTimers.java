package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.cache.CacheEvent;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The does-not-exist timers of one server (A57 "Handling Resources That Do Not Exist"). The session
 * starts one once its stream asked for the resource for the first time <em>and</em> is attached to
 * a connection; an answer stops it, and so does the end of the stream or of the subscription.
 *
 * <p>While a response of a type is being decoded, that type's timers do not strike: the answer may
 * be in it. Those that ran out meanwhile strike afterwards, if it was not.
 */
@ControlConfined
final class ResourceTimers {
  static final Duration TIMEOUT = Duration.ofSeconds(15); // A57
  static final Duration TRANSIENT_TIMEOUT = Duration.ofSeconds(30); // A88 "Resource Timer"

  private final ControlLoop loop;
  private final ServerFeatures features;
  private final Set<Subscription<?>> late = new LinkedHashSet<>();
  private @Nullable ResourceType<?> held;

  ResourceTimers(ControlLoop loop, ServerFeatures features) {
    this.loop = loop;
    this.features = features;
  }

  /** Starts the timer of a resource, if an answer about it is outstanding. */
  void start(Subscription<?> subscription) {
    if (!subscription.entry().awaitsAnswer()) {
      return; // in use (A57-18), or declared missing before (A57-19)
    }
    subscription.timerStarted(this, loop.schedule(limit(), () -> strike(subscription)));
  }

  /** A response of {@code type} is about to be decoded. */
  void hold(ResourceType<?> type) {
    held = type;
  }

  /** The response that was being decoded has been applied. */
  void release() {
    held = null;
    List<Subscription<?>> waiting = List.copyOf(late);
    late.clear();
    waiting.forEach(
        subscription -> {
          if (subscription.isWatched() && subscription.entry().awaitsAnswer()) {
            strike(subscription);
          }
        });
  }

  /** These are asked for no more. */
  void stop(List<Subscription<?>> subscriptions) {
    for (Subscription<?> subscription : subscriptions) {
      late.remove(subscription);
      subscription.stopTimer(this);
    }
  }

  /** The stream ended: what it was asked for is asked for anew by the next (A57-17). */
  void onStreamEnded(List<Subscription<?>> subscriptions) {
    held = null;
    stop(subscriptions);
  }

  private <T> void strike(Subscription<T> subscription) {
    if (subscription.type().equals(held)) {
      late.add(subscription);
    } else {
      subscription.apply(new CacheEvent.TimerFired<>(message(subscription), loop.now()), features);
    }
  }

  private Duration limit() {
    return features.resourceTimerIsTransientError() ? TRANSIENT_TIMEOUT : TIMEOUT;
  }

  private String message(Subscription<?> subscription) {
    String verdict =
        features.resourceTimerIsTransientError() ? " is not known yet" : " does not exist";
    return subscription.subject()
        + verdict
        + ": the control plane did not send it within "
        + limit().toSeconds()
        + "s";
  }
}

package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.cache.CacheEvent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The does-not-exist timers of one server (A57 "Handling Resources That Do Not Exist"). The session
 * starts one once its stream asked for the resource for the first time <em>and</em> is attached to
 * a connection; an answer stops it, and so does the end of the stream or of the subscription.
 *
 * <p>While a response is being decoded nothing else of the stream is read, so no timer strikes. Of
 * those that run out meanwhile the ones of the response's type strike afterwards, unless the answer
 * was in it; for the others, whose answers may wait behind it, the time of decoding does not count.
 */
@ControlConfined
final class ResourceTimers {
  static final Duration TIMEOUT = Duration.ofSeconds(15); // A57
  static final Duration TRANSIENT_TIMEOUT = Duration.ofSeconds(30); // A88 "Resource Timer"

  /** What waits behind a response is read within this time of its end. */
  private static final Duration MIN_LEFT = Duration.ofSeconds(1);

  /** A response of {@code type} is being decoded. */
  private record Hold(ResourceType<?> type, long sinceNanos) {}

  private final ControlLoop loop;
  private final ServerFeatures features;
  private final Map<Subscription<?>, Duration> late = new LinkedHashMap<>(); // with the time left
  private @Nullable Hold hold;

  ResourceTimers(ControlLoop loop, ServerFeatures features) {
    this.loop = loop;
    this.features = features;
  }

  /** Starts the timer of a resource, if an answer about it is outstanding. */
  void start(Subscription<?> subscription) {
    if (!subscription.entry().awaitsAnswer()) {
      return; // in use (A57-18), or declared missing before (A57-19)
    }
    start(subscription, limit());
  }

  private void start(Subscription<?> subscription, Duration left) {
    subscription.timerStarted(this, loop.schedule(left, () -> ranOut(subscription)));
  }

  /** A response of {@code type} is about to be decoded. */
  void hold(ResourceType<?> type) {
    hold = new Hold(type, loop.nanoTime());
  }

  /** The response that was being decoded has been applied. */
  void release() {
    Hold over = hold;
    if (over == null) {
      return; // the stream ended meanwhile
    }
    hold = null;
    // Each is taken out when it strikes or starts again, as by whatever stops a timer.
    new LinkedHashMap<>(late)
        .forEach(
            (subscription, left) -> {
              if (subscription.type().equals(over.type())) {
                strike(subscription);
              } else {
                start(subscription, left.compareTo(MIN_LEFT) < 0 ? MIN_LEFT : left);
              }
            });
  }

  /** These are asked for no more. */
  void stop(List<Subscription<?>> subscriptions) {
    subscriptions.forEach(subscription -> subscription.stopTimer(this));
  }

  /** The stream ended: what it was asked for is asked for anew by the next (A57-17). */
  void onStreamEnded(List<Subscription<?>> subscriptions) {
    hold = null;
    stop(subscriptions);
  }

  private void ranOut(Subscription<?> subscription) {
    if (hold == null) {
      strike(subscription);
    } else {
      late.put(subscription, Duration.ofNanos(loop.nanoTime() - hold.sinceNanos()));
      // Still its timer, so that whatever stops a timer stops this.
      subscription.timerStarted(this, () -> late.remove(subscription));
    }
  }

  private <T> void strike(Subscription<T> subscription) {
    subscription.apply(new CacheEvent.TimerFired<>(message(subscription), loop.now()), features);
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

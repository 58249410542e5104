package io.outrigger.xds.cache;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.cache.CacheEvent.Restored;

/**
 * Computes the next state of an entry after an event (A88).
 *
 * <pre>
 * event            next state        held resource                          timers
 * Received         ACKED             the new resource                       stop
 * Rejected         NACKED            kept; dropped with fail_on_data_errors
 * Deleted, held    DOES_NOT_EXIST    kept; dropped with fail_on_data_errors stop
 * Deleted, NACKED  DOES_NOT_EXIST    none                                   stop
 *   or RECEIVED_ERROR
 * Deleted, others  unchanged
 * ServerError      RECEIVED_ERROR    kept; NOT_FOUND and PERMISSION_DENIED
 *                                    drop it with fail_on_data_errors
 * TimerFired       DOES_NOT_EXIST    none; TIMEOUT instead with             stop
 *                                    resource_timer_is_transient_error
 * Restored         STALE             the resource of an earlier process     stop
 * Overlaid         unchanged         the new value
 * StreamFailed     unchanged         kept
 * StreamRecovered  unchanged         kept; a REQUESTED entry keeps its stream
 *                                    error until an update arrives
 * </pre>
 *
 * <p>A STALE resource was stored by an earlier process; no server has sent it to this process.
 * Regardless of the server's features, a STALE resource is dropped by the events Deleted and
 * TimerFired, and by the event ServerError with NOT_FOUND or PERMISSION_DENIED.
 *
 * <p>Watchers receive the difference between the previous and the next entry, so their state equals
 * the state in dumps (A88-38).
 */
public final class CacheTransition {
  private CacheTransition() {}

  /**
   * The transition of a cache entry by an event. The caller stores the entry, stops the timers and
   * notifies the watchers, in this order.
   *
   * @param stopsTimers whether the timers of all servers stop, and not only the timer of the server
   *     that answered
   */
  public record Step<T>(CacheEntry<T> before, CacheEntry<T> next, boolean stopsTimers) {
    public void notifyWatcher(ResourceWatcher<T> watcher) {
      boolean sameError = before.error().equals(next.error());
      if (next.held().isPresent()) {
        T value = next.held().get().value();
        // Ports of --serve ignore stale values, so they need the fresh value even if it is equal.
        boolean isFresh = before.isStale() && !next.isStale();
        if (before.held().isEmpty() || before.held().get().value() != value || isFresh) {
          watcher.onChanged(Outcome.ok(value));
          next.error().ifPresent(watcher::onAmbientError);
        } else if (!sameError) {
          watcher.onAmbientError(next.error().orElse(RpcStatus.OK));
        }
      } else if (next.error().isPresent() && (!sameError || before.held().isPresent())) {
        watcher.onChanged(Outcome.failed(next.error().get()));
      }
    }
  }

  /**
   * @param features the features of the server that caused the event (A88-18)
   * @throws IllegalStateException if the event is impossible in the state of the entry
   */
  public static <T> Step<T> apply(
      CacheEntry<T> entry, CacheEvent<T> event, ServerFeatures features) {
    CacheEntry<T> next = event.next(entry, features);
    boolean stopsTimers =
        event instanceof Restored // the timer starts when the control plane answers
            || !next.awaitsAnswer(); // a resource is declared missing once (A57-19)
    return new Step<>(entry, next, stopsTimers);
  }
}

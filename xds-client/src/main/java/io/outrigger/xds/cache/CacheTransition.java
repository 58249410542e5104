package io.outrigger.xds.cache;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.cache.CacheEntry.DataError;
import io.outrigger.xds.cache.CacheEntry.Held;
import io.outrigger.xds.cache.CacheEvent.Deleted;
import io.outrigger.xds.cache.CacheEvent.Overlaid;
import io.outrigger.xds.cache.CacheEvent.Received;
import io.outrigger.xds.cache.CacheEvent.Rejected;
import io.outrigger.xds.cache.CacheEvent.Restored;
import io.outrigger.xds.cache.CacheEvent.ServerError;
import io.outrigger.xds.cache.CacheEvent.StreamFailed;
import io.outrigger.xds.cache.CacheEvent.StreamRecovered;
import io.outrigger.xds.cache.CacheEvent.TimerFired;
import java.util.Optional;

/**
 * Computes the next state of an entry after an event (A88).
 *
 * <pre>
 * event            next state        held resource                          timer
 * Received         ACKED             the new resource                       stops
 * Rejected         NACKED            kept; dropped with fail_on_data_errors stops
 * Deleted, held    DOES_NOT_EXIST    kept; dropped with fail_on_data_errors
 * Deleted, none    unchanged
 * ServerError      RECEIVED_ERROR    kept; NOT_FOUND and PERMISSION_DENIED  stops
 *                                    drop it with fail_on_data_errors
 * TimerFired       DOES_NOT_EXIST    none; TIMEOUT instead with             stops
 *                                    resource_timer_is_transient_error
 * Restored         STALE             the resource of an earlier process     stops
 * Overlaid         unchanged         the new value
 * StreamFailed     unchanged         kept
 * StreamRecovered  unchanged         kept; a REQUESTED entry keeps its stream
 *                                    error until an update arrives
 * </pre>
 *
 * <p>A STALE resource is dropped by Deleted, by TimerFired, and by a ServerError that could drop a
 * resource, regardless of the server's features: no control plane has sent it to this process.
 *
 * <p>Watchers are notified of the difference between the previous and the next entry, so that all
 * watchers and dumps agree (A88-38).
 */
public final class CacheTransition {
  private CacheTransition() {}

  /**
   * The result of a transition. The caller stores the entry, stops the timers and notifies the
   * watchers, in this order.
   *
   * @param stopsTimers whether the timers of the resource stop, one for each requested server
   */
  public record Step<T>(CacheEntry<T> before, CacheEntry<T> next, boolean stopsTimers) {
    public void notifyWatcher(ResourceWatcher<T> watcher) {
      boolean sameError = before.error().equals(next.error());
      if (next.held().isPresent()) {
        T value = next.held().get().value();
        // Watchers of served addresses ignore a stale value, so they need the same value again.
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
   * Applies {@code event}.
   *
   * @param features the features of the server that caused the event (A88-18)
   * @throws IllegalStateException if the event is impossible in that state
   */
  public static <T> Step<T> apply(
      CacheEntry<T> entry, CacheEvent<T> event, ServerFeatures features) {
    CacheEntry<T> next = next(entry, event, features);
    boolean stopsTimers =
        event instanceof Received
            || event instanceof Rejected
            || event instanceof ServerError
            || event instanceof Restored // the timer starts when the control plane answers
            || event instanceof TimerFired; // a resource is declared missing once (A57-19)
    return new Step<>(entry, next, stopsTimers);
  }

  private static <T> CacheEntry<T> next(
      CacheEntry<T> entry, CacheEvent<T> event, ServerFeatures features) {
    if (event instanceof Received<T> received) {
      return onReceived(entry, received);
    }
    if (event instanceof Rejected<T> rejected) {
      return onRejected(entry, rejected, features);
    }
    if (event instanceof Deleted<T> deleted) {
      return onDeleted(entry, deleted, features);
    }
    if (event instanceof ServerError<T> error) {
      return onServerError(entry, error, features);
    }
    if (event instanceof TimerFired<T> fired) {
      return onTimerFired(entry, fired, features);
    }
    if (event instanceof Restored<T> restored) {
      return new CacheEntry<>(
          CacheState.STALE, Optional.of(restored.held()), Optional.empty(), entry.streamError());
    }
    if (event instanceof Overlaid<T> overlaid) {
      return onOverlaid(entry, overlaid);
    }
    if (event instanceof StreamFailed<T> failed) {
      return withStreamError(entry, Optional.of(failed.status()));
    }
    if (event instanceof StreamRecovered<T>) {
      // A watcher that received a failure cannot return to waiting. A resource that has no update
      // yet therefore keeps its stream error until an update arrives (decision xds-0013).
      return entry.state() == CacheState.REQUESTED
          ? entry
          : withStreamError(entry, Optional.empty());
    }
    throw new AssertionError(event);
  }

  private static <T> CacheEntry<T> onReceived(CacheEntry<T> entry, Received<T> received) {
    Held<T> next = received.held();
    Held<T> held = next.with(heldIfEqual(entry, next.value()), next.overlay());
    return new CacheEntry<>(
        CacheState.ACKED, Optional.of(held), Optional.empty(), Optional.empty());
  }

  /** Returns the held instance if equal, so that later comparisons are cheap. */
  private static <T> T heldIfEqual(CacheEntry<T> entry, T value) {
    return entry.held().map(Held::value).filter(value::equals).orElse(value);
  }

  private static <T> CacheEntry<T> onOverlaid(CacheEntry<T> entry, Overlaid<T> overlaid) {
    Held<T> before = entry.held().orElseThrow(() -> new IllegalStateException("nothing is held"));
    Held<T> held = before.with(heldIfEqual(entry, overlaid.value()), overlaid.overlay());
    return new CacheEntry<>(
        entry.state(), Optional.of(held), entry.dataError(), entry.streamError());
  }

  private static <T> CacheEntry<T> onRejected(
      CacheEntry<T> entry, Rejected<T> rejected, ServerFeatures features) {
    var status = new RpcStatus(RpcStatus.Code.INVALID_ARGUMENT, rejected.message());
    var error =
        new DataError(status, rejected.version(), Optional.of(rejected.raw()), rejected.at());
    return withDataError(entry, CacheState.NACKED, error, features.failOnDataErrors());
  }

  private static <T> CacheEntry<T> onDeleted(
      CacheEntry<T> entry, Deleted<T> deleted, ServerFeatures features) {
    boolean isKnown = entry.state() == CacheState.DOES_NOT_EXIST;
    if (entry.held().isEmpty() || (isKnown && !features.failOnDataErrors())) {
      return entry; // never received (A57-35), or already deleted but kept (A88-18)
    }
    var status = new RpcStatus(RpcStatus.Code.NOT_FOUND, deleted.message());
    var error = new DataError(status, deleted.version(), Optional.empty(), deleted.at());
    boolean drop = features.failOnDataErrors() || entry.isStale();
    return withDataError(entry, CacheState.DOES_NOT_EXIST, error, drop);
  }

  private static <T> CacheEntry<T> onServerError(
      CacheEntry<T> entry, ServerError<T> event, ServerFeatures features) {
    var error = new DataError(event.status(), event.version(), Optional.empty(), event.at());
    return withDataError(
        entry,
        CacheState.RECEIVED_ERROR,
        error,
        event.isAbsence() && (features.failOnDataErrors() || entry.isStale()));
  }

  private static <T> CacheEntry<T> onTimerFired(
      CacheEntry<T> entry, TimerFired<T> fired, ServerFeatures features) {
    if (!entry.awaitsAnswer()) {
      throw new IllegalStateException(entry.state() + " entry was not waiting: " + fired);
    }
    boolean isTransient = features.resourceTimerIsTransientError();
    var code = isTransient ? RpcStatus.Code.UNAVAILABLE : RpcStatus.Code.NOT_FOUND;
    var status = new RpcStatus(code, fired.message());
    var error = new DataError(status, "", Optional.empty(), fired.at());
    var state = isTransient ? CacheState.TIMEOUT : CacheState.DOES_NOT_EXIST;
    return withDataError(entry, state, error, true);
  }

  private static <T> CacheEntry<T> withStreamError(CacheEntry<T> entry, Optional<RpcStatus> error) {
    return new CacheEntry<>(entry.state(), entry.held(), entry.dataError(), error);
  }

  private static <T> CacheEntry<T> withDataError(
      CacheEntry<T> entry, CacheState state, DataError error, boolean drop) {
    Optional<Held<T>> held = drop ? Optional.empty() : entry.held();
    // A STALE entry stays STALE until a valid resource arrives, so a later deletion drops it.
    CacheState next = entry.isStale() && !drop ? CacheState.STALE : state;
    return new CacheEntry<>(next, held, Optional.of(error), Optional.empty());
  }
}

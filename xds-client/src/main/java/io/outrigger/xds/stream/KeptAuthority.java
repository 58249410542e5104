package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.TimerHandle;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.cache.CacheState;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Decides for one authority whether the resources in the folder of {@link StateKeeper} are used.
 *
 * <pre>
 * NEW      -> WAITING   on the first subscription
 * WAITING  -> RESTORING when no server has answered within --state-after
 * WAITING  -> OUTDATED  the same, but a server has answered the client of another target
 * any      -> ANSWERED  on the first response of a server
 * WAITING, RESTORING, OUTDATED -> NEW when no subscription is left
 * </pre>
 */
@ControlConfined
final class KeptAuthority {
  private enum Phase {
    NEW,
    WAITING,
    RESTORING,
    OUTDATED,
    ANSWERED
  }

  private final StateKeeper keeper;
  private final String scope;
  private final String name;
  private final Subscriptions subscriptions;
  private final BooleanSupplier isReachable;
  private final Runnable onRestored;
  private final Set<Subscription<?>> tried = new HashSet<>();
  private final Set<Subscription<?>> restoring = new HashSet<>();
  private Phase phase = Phase.NEW;
  private TimerHandle restoreTimer = () -> {};
  private TimerHandle absenceTimer = () -> {};

  /**
   * @param isReachable whether a control plane of the authority can be reached
   * @param onRestored called after saved resources were put into use, or were found unusable
   */
  KeptAuthority(
      StateKeeper keeper,
      String scope,
      String name,
      Subscriptions subscriptions,
      BooleanSupplier isReachable,
      Runnable onRestored) {
    this.keeper = keeper;
    this.scope = scope;
    this.name = name;
    this.subscriptions = subscriptions;
    this.isReachable = isReachable;
    this.onRestored = onRestored;
  }

  String scope() {
    return scope;
  }

  String name() {
    return name;
  }

  void onSubscriptionsChanged() {
    if (!keeper.isOn()) {
      return;
    }
    boolean isUnused = subscriptions.isEmpty();
    keeper.setInUse(this, !isUnused);
    if (isUnused) {
      close();
      phase = isAnswered() ? Phase.ANSWERED : Phase.NEW;
    } else if (phase == Phase.NEW) {
      phase = Phase.WAITING;
      restoreTimer = keeper.scheduleRestore(this::onTimeout);
    } else {
      restore();
    }
  }

  private void onTimeout() {
    phase = keeper.isAnswered(name) ? Phase.OUTDATED : Phase.RESTORING;
    restore();
  }

  /** In phase RESTORING, puts the saved resources of new subscriptions into use. */
  void restore() {
    if (phase == Phase.RESTORING && keeper.isRead()) {
      List<Subscription<?>> missing =
          all().stream()
              .filter(each -> each.entry().held().isEmpty())
              .filter(each -> !each.isWatchedFor(AdsClients.SERVERS))
              .filter(tried::add)
              .toList();
      if (!missing.isEmpty()) {
        restoring.addAll(missing);
        keeper.restore(this, missing);
      }
    }
  }

  void onRestored(List<Subscription<?>> done) {
    done.forEach(restoring::remove); // removeAll would search the list for each element
    onRestored.run();
  }

  /** Whether the saved resource is being decoded; meanwhile, watchers get no stream error. */
  boolean isRestoring(Subscription<?> subscription) {
    return restoring.contains(subscription);
  }

  void onAnswered() {
    restoreTimer.cancel();
    phase = Phase.ANSWERED;
    keeper.onAnswered(name);
    tried.clear();
  }

  void onChanged(Subscription<?> subscription) {
    if (!subscription.isWatched()) {
      tried.remove(subscription);
    }
    keeper.onChanged(this, subscription);
    if (isAnswered() && keeper.stale().isPresent()) {
      absenceTimer.cancel();
      absenceTimer = keeper.scheduleSettled(this::dropAbsent);
    }
  }

  /** Once the control plane has answered for all resources, drops those that it does not have. */
  private void dropAbsent() {
    List<Subscription<?>> all = all();
    boolean isComplete =
        all.stream()
            .allMatch(
                each ->
                    each.isAbsent()
                        || each.entry().dataError().isPresent() // the update was rejected
                        || (each.entry().state() != CacheState.REQUESTED
                            && !each.entry().isStale()));
    if (isComplete) {
      all.forEach(Subscription::applyDeferred);
    }
  }

  void close() {
    restoreTimer.cancel();
    absenceTimer.cancel();
  }

  boolean isAnswered() {
    return phase == Phase.ANSWERED;
  }

  boolean isCurrent() {
    return isAnswered() && isReachable.getAsBoolean();
  }

  /**
   * Whether the control plane has answered for every requested resource, so that no resource refers
   * to a missing resource. A listener without an answer does not count, because no resource refers
   * to a listener, and calls may request new hosts at any time.
   */
  boolean isSettled() {
    return all().stream().noneMatch(this::isOutstanding);
  }

  private boolean isOutstanding(Subscription<?> subscription) {
    return subscription.entry().state() == CacheState.REQUESTED
        && !subscription.isWatchedFor(AdsClients.SERVERS)
        && (!subscription.type().equals(ResourceType.LISTENER)
            || keeper.isKept(this, subscription));
  }

  List<Subscription<?>> all() {
    return subscriptions.all();
  }
}

package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.overlay.Overlaid;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.cache.CacheEntry.Held;
import io.outrigger.xds.cache.CacheEvent;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.overlay.Overlay;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Holds the overlay in force and applies it to the resources in use. When the overlay changes, all
 * resources in use except endpoints are decoded again from their bytes, on the executor that
 * decodes responses (decision xds-0073).
 *
 * <p>Each resource in use records the overlay under which it was decoded. When the overlay changes
 * while a response is decoded, the resources are decoded again. The order of responses and overlay
 * changes therefore does not matter.
 */
@ControlConfined
@SuppressWarnings("ReferenceEquality") // compares overlays and held resources by identity
final class CurrentOverlay {
  private static final int MAX_LISTED = 20;

  private final ControlLoop loop;
  private final Executor decoding;
  private final ResponseDecoder decoder;
  private final Function<XdsServer, DecodeContext> contexts;
  private final Supplier<Collection<Subscription<?>>> subscriptions;
  private final Map<OverlayRule, Set<String>> reported = new HashMap<>();
  private final Map<String, Integer> targets = new HashMap<>(); // the number of watches by target
  private Overlay overlay = Overlay.NONE;
  private BiConsumer<String, OverlayEffect.Omission> onLeftOut = (resource, omission) -> {};

  CurrentOverlay(
      ControlLoop loop,
      Executor decoding,
      ResponseDecoder decoder,
      Function<XdsServer, DecodeContext> contexts,
      Supplier<Collection<Subscription<?>>> subscriptions) {
    this.loop = loop;
    this.decoding = decoding;
    this.decoder = decoder;
    this.contexts = contexts;
    this.subscriptions = subscriptions;
  }

  DecodeContext contextOf(XdsServer server) {
    return contexts.apply(server).under(overlay);
  }

  Overlay overlay() {
    return overlay;
  }

  void change(Overlay next, BiConsumer<String, OverlayEffect.Omission> listener) {
    overlay = next.forTargets(targets.keySet());
    onLeftOut = listener;
    reported.clear();
    refresh();
  }

  /** Counts a new watch for a target. The first watch of a target may put other rules in force. */
  void use(String target) {
    if (targets.merge(target, 1, Integer::sum) == 1) {
      Overlay with = overlay.forTargets(targets.keySet());
      if (with != overlay) {
        overlay = with;
        refresh();
      }
    }
  }

  void release(String target) {
    targets.computeIfPresent(target, (name, watches) -> watches == 1 ? null : watches - 1);
  }

  /** Whether a resource in use needs no further decoding under {@code overlay}. */
  static boolean isUnder(Overlay overlay, ResourceType<?> type, Held<?> held) {
    return held.overlay() == overlay || type.equals(ResourceType.ENDPOINT);
  }

  /**
   * Called after the resources of a response were stored. The overlay may have changed since the
   * resources were decoded.
   */
  void onApplied(Overlay used) {
    if (used != overlay) {
      refresh();
    }
  }

  /** Reports the rules that cannot be applied to a resource that has just come into use. */
  void onValue(Object value) {
    if (value instanceof Overlaid overlaid) {
      overlaid.visitEffects(
          (part, effect) -> effect.leftOut().forEach(omission -> report(part, omission)));
    }
  }

  private void report(String part, OverlayEffect.Omission omission) {
    Set<String> parts = reported.computeIfAbsent(omission.rule(), rule -> new HashSet<>());
    if (parts.size() < MAX_LISTED && parts.add(part)) {
      onLeftOut.accept(part, omission);
    }
  }

  /** Decodes each resource with an outdated overlay again, and applies the results in one turn. */
  private void refresh() {
    List<Supplier<Runnable>> stale =
        subscriptions.get().stream().flatMap(each -> redecoding(each).stream()).toList();
    if (!stale.isEmpty()) {
      decode(stale, () -> {}); // if a task fails, all values in use stay
    }
  }

  /**
   * Decodes resources on the decoding thread, and applies the results in one turn of the control
   * loop.
   *
   * @param tasks each task decodes one resource and returns an action that puts the value into use
   * @param then the callback that runs in the same turn, also if a task fails
   */
  void decode(List<Supplier<Runnable>> tasks, Runnable then) {
    decoding.execute(
        () -> {
          try {
            List<Runnable> decoded = tasks.stream().map(Supplier::get).toList();
            loop.execute(
                () -> {
                  try {
                    decoded.forEach(Runnable::run);
                  } finally {
                    then.run();
                  }
                });
          } catch (RuntimeException | Error e) { // our bug; the control loop counts it
            loop.execute(
                () -> {
                  then.run();
                  throw new IllegalStateException("resources decoded again", e);
                });
          }
        });
  }

  /** Returns the task that decodes a resource; its result stores the value on the control loop. */
  private <T> Optional<Supplier<Runnable>> redecoding(Subscription<T> subscription) {
    return subscription
        .entry()
        .held()
        .filter(held -> !isUnder(overlay, subscription.type(), held))
        .map(
            held -> {
              DecodeContext context = contextOf(held.server());
              return () -> {
                // The resource is still valid, because validity does not depend on the overlay.
                T value =
                    decoder.decode(subscription.type(), held.raw(), context).orElse(held.value());
                return () -> apply(subscription, held, value, context.overlay());
              };
            });
  }

  private <T> void apply(Subscription<T> subscription, Held<T> held, T value, Overlay under) {
    boolean isStill = subscription.entry().held().filter(now -> now == held).isPresent();
    if (isStill && under == overlay) { // otherwise a newer resource or overlay has arrived
      subscription.apply(new CacheEvent.Overlaid<>(value, under), ServerFeatures.NONE);
      onValue(value);
    }
  }
}

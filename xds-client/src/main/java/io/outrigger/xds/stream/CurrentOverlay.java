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
 * <p>Each resource in use records the overlay under which the resource was decoded. If the overlay
 * changes while a response is decoded, the resources of the response are decoded again.
 */
@ControlConfined
@SuppressWarnings("ReferenceEquality") // compares identities of overlays and held resources
final class CurrentOverlay {
  private static final int MAX_REPORTED = 20; // reported omissions per rule

  private final ControlLoop loop;
  private final Executor decoding;
  private final ResponseDecoder decoder;
  private final Function<XdsServer, DecodeContext> contexts;
  private final Supplier<Collection<Subscription<?>>> subscriptions;
  private final Map<OverlayRule, Set<String>> reported = new HashMap<>();
  private final Map<String, Integer> targets = new HashMap<>(); // the number of watches by target
  private Overlay overlay = Overlay.NONE;
  private BiConsumer<String, OverlayEffect.Omission> onOmission = (resource, omission) -> {};

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
    onOmission = listener;
    reported.clear();
    refresh();
  }

  /** Counts a new watch of a target; rules for a target are in force only while it is watched. */
  void use(String target) {
    if (targets.merge(target, 1, Integer::sum) == 1) {
      Overlay next = overlay.forTargets(targets.keySet());
      if (next != overlay) {
        overlay = next;
        refresh();
      }
    }
  }

  void release(String target) {
    targets.computeIfPresent(target, (name, watches) -> watches == 1 ? null : watches - 1);
  }

  /** Whether the value in use was decoded under this overlay, or depends on no overlay. */
  static boolean isCurrent(Overlay overlay, ResourceType<?> type, Held<?> held) {
    return held.overlay() == overlay || type.equals(ResourceType.ENDPOINT);
  }

  /**
   * Called after resources were decoded under an overlay and stored. If another overlay is in force
   * now, decodes the resources again.
   */
  void onApplied(Overlay used) {
    if (used != overlay) {
      refresh();
    }
  }

  /** Reports the rules that cannot be applied to a resource that has just come into use. */
  void onValue(Object value) {
    if (value instanceof Overlaid resource) {
      for (Overlaid form : overlay.formsOf(resource)) {
        form.visitEffects((part, effect) -> effect.leftOut().forEach(each -> report(part, each)));
      }
    }
  }

  private void report(String part, OverlayEffect.Omission omission) {
    Set<String> parts = reported.computeIfAbsent(omission.rule(), rule -> new HashSet<>());
    if (parts.size() < MAX_REPORTED && parts.add(part)) {
      onOmission.accept(part, omission);
    }
  }

  private void refresh() {
    List<Supplier<Runnable>> outdated =
        subscriptions.get().stream().flatMap(each -> redecoding(each).stream()).toList();
    if (!outdated.isEmpty()) {
      decode(outdated, () -> {}); // if a task fails, all values in use stay
    }
  }

  /**
   * Decodes resources on the decoding thread, and applies all results in one task of the control
   * loop.
   *
   * @param tasks each task decodes one resource and returns an action that puts the value into use
   * @param onEnd runs after the actions, in the same task, and also runs after a failure
   */
  void decode(List<Supplier<Runnable>> tasks, Runnable onEnd) {
    decoding.execute(
        () -> {
          try {
            List<Runnable> decoded = tasks.stream().map(Supplier::get).toList();
            loop.execute(
                () -> {
                  try {
                    decoded.forEach(Runnable::run);
                  } finally {
                    onEnd.run();
                  }
                });
          } catch (RuntimeException | Error e) { // a bug, which the control loop counts
            loop.execute(
                () -> {
                  onEnd.run();
                  throw new IllegalStateException("resources decoded again", e);
                });
          }
        });
  }

  private <T> Optional<Supplier<Runnable>> redecoding(Subscription<T> subscription) {
    return subscription
        .entry()
        .held()
        .filter(held -> !isCurrent(overlay, subscription.type(), held))
        .map(
            held -> {
              DecodeContext context = contextOf(held.server());
              return () -> {
                // A failure keeps the old value: an overlay cannot make a resource invalid.
                T value =
                    decoder.decode(subscription.type(), held.raw(), context).orElse(held.value());
                return () -> apply(subscription, held, value, context.overlay());
              };
            });
  }

  private <T> void apply(Subscription<T> subscription, Held<T> held, T value, Overlay under) {
    boolean isInUse = subscription.entry().held().filter(now -> now == held).isPresent();
    if (isInUse && under == overlay) { // otherwise a newer resource or overlay has arrived
      subscription.apply(new CacheEvent.Overlaid<>(value, under), ServerFeatures.NONE);
      onValue(value);
    }
  }
}

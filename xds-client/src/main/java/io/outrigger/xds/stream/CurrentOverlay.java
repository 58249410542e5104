package io.outrigger.xds.stream;

import com.google.protobuf.Any;
import com.google.protobuf.UnsafeByteOperations;
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
import io.outrigger.xds.decode.Decoded.Valid;
import io.outrigger.xds.overlay.Overlay;
import java.util.ArrayList;
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
 * <p>Each resource in use records the overlay under which it was decoded. The class decodes
 * resources again until no resource under an old overlay is left. The order of responses and
 * overlay changes therefore does not matter.
 */
@ControlConfined
@SuppressWarnings("ReferenceEquality") // compares overlays and held resources by identity
final class CurrentOverlay {
  /** The maximum number of resources that are reported per rule. */
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
  private boolean refreshing;

  /** A resource in use that was decoded under an old overlay. */
  private record Stale<T>(Subscription<T> subscription, Held<T> held) {}

  /** The value of a stale resource under the new overlay. */
  private record Fresh<T>(Stale<T> of, T value) {}

  /**
   * @param contexts the function that returns the decode context of a server, without an overlay
   * @param subscriptions supplies all subscriptions
   */
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

  /** Returns the context in which resources of a server are decoded now. */
  DecodeContext contextOf(XdsServer server) {
    return contexts.apply(server).under(overlay);
  }

  Overlay overlay() {
    return overlay;
  }

  /** Puts another overlay in force for all resources. */
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

  /** Removes an ended watch of a target from the count. */
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

  private void refresh() {
    if (refreshing) {
      return; // the running refresh starts another one at its end
    }
    List<Stale<?>> stale = new ArrayList<>();
    subscriptions.get().forEach(subscription -> find(subscription, stale));
    if (stale.isEmpty()) {
      return;
    }
    refreshing = true;
    Overlay under = overlay;
    Map<XdsServer, DecodeContext> with = new HashMap<>();
    stale.forEach(each -> with.computeIfAbsent(each.held().server(), this::contextOf));
    decoding.execute(
        () -> {
          try {
            List<Fresh<?>> fresh = decoded(stale, with);
            loop.execute(() -> apply(fresh, under));
          } catch (RuntimeException | Error e) { // our bug; the control loop counts it
            loop.execute(
                () -> {
                  refreshing = false; // resources in use stay until the next change
                  throw new IllegalStateException("resources under another overlay", e);
                });
          }
        });
  }

  private <T> void find(Subscription<T> subscription, List<Stale<?>> into) {
    subscription
        .entry()
        .held()
        .filter(held -> !isUnder(overlay, subscription.type(), held))
        .ifPresent(held -> into.add(new Stale<>(subscription, held)));
  }

  private List<Fresh<?>> decoded(List<Stale<?>> stale, Map<XdsServer, DecodeContext> with) {
    List<Fresh<?>> fresh = new ArrayList<>(stale.size());
    for (Stale<?> each : stale) {
      fresh.add(decoded(each, Optional.ofNullable(with.get(each.held().server())).orElseThrow()));
    }
    return fresh;
  }

  /**
   * Decodes a resource again. The resource is valid again, because validity does not depend on the
   * overlay.
   */
  private <T> Fresh<T> decoded(Stale<T> stale, DecodeContext context) {
    var raw = stale.held().raw();
    Any any =
        Any.newBuilder()
            .setTypeUrl(raw.typeUrl())
            .setValue(UnsafeByteOperations.unsafeWrap(raw.bytes()))
            .build();
    var values =
        decoder.decode(stale.subscription().type(), List.of(any), context).valid().values();
    return new Fresh<>(
        stale, values.stream().findFirst().map(Valid::value).orElse(stale.held().value()));
  }

  private void apply(List<Fresh<?>> fresh, Overlay under) {
    refreshing = false;
    fresh.forEach(each -> apply(each, under));
    refresh();
  }

  private <T> void apply(Fresh<T> fresh, Overlay under) {
    Subscription<T> subscription = fresh.of().subscription();
    boolean isStill =
        subscription.entry().held().filter(held -> held == fresh.of().held()).isPresent();
    if (isStill) { // otherwise a newer resource has arrived
      subscription.apply(new CacheEvent.Overlaid<>(fresh.value(), under), ServerFeatures.NONE);
      onValue(fresh.value());
    }
  }
}

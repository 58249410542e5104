package io.outrigger.xds.decode;

import com.google.protobuf.Message;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.overlay.OverlayEffect.Omission;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.xds.overlay.Merge;
import io.outrigger.xds.overlay.Patch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Lays the rules of an overlay over a valid message and decodes what comes of it. A rule that would
 * make it invalid is left out as a whole, and the message goes on without it.
 *
 * @param <V> what a message is decoded to
 */
final class Layers<V> {
  /** One rule for the message. */
  record Layer(OverlayRule rule, Patch patch) {}

  /**
   * What came of it.
   *
   * @param value the control plane's own where nothing was set
   */
  record Result<V>(V value, OverlayEffect effect) {}

  /** Decodes a message of the type in question. */
  interface Decoder<V> {
    Optional<V> decode(Message message, FieldErrors errors);
  }

  private final Message own;
  private final V ownValue;
  private final Decoder<V> decoder;

  /**
   * Over {@code own}, which was decoded without an error.
   *
   * @param ownValue what it was decoded to
   */
  Layers(Message own, V ownValue, Decoder<V> decoder) {
    this.own = own;
    this.ownValue = ownValue;
    this.decoder = decoder;
  }

  /** Lays all of {@code layers} over it, the first first. */
  Result<V> lay(List<Layer> layers) {
    List<OverlayRule> matched = layers.stream().map(Layer::rule).toList();
    var all = new Merge(own);
    boolean changed = false;
    for (Layer layer : layers) {
      changed |= all.lay(layer.rule(), layer.patch());
    }
    if (!changed) {
      return new Result<>(ownValue, new OverlayEffect(matched, List.of(), List.of()));
    }
    FieldErrors errors = FieldErrors.ofResource();
    Optional<V> value = decoder.decode(all.message(), errors);
    return value.isPresent() && errors.isEmpty()
        ? new Result<>(value.get(), new OverlayEffect(matched, all.values(), List.of()))
        : oneByOne(layers, matched);
  }

  private Result<V> oneByOne(List<Layer> layers, List<OverlayRule> matched) {
    var merged = new Merge(own);
    V last = ownValue;
    List<Omission> leftOut = new ArrayList<>();
    for (Layer layer : layers) {
      Merge tried = merged.fork();
      if (!tried.lay(layer.rule(), layer.patch())) {
        continue;
      }
      FieldErrors errors = FieldErrors.ofResource();
      Optional<V> value = decoder.decode(tried.message(), errors);
      if (value.isPresent() && errors.isEmpty()) {
        merged = tried;
        last = value.get();
      } else {
        leftOut.add(omission(layer.rule(), errors));
      }
    }
    return new Result<>(last, new OverlayEffect(matched, merged.values(), leftOut));
  }

  private static Omission omission(OverlayRule rule, FieldErrors errors) {
    if (errors.isEmpty()) {
      return new Omission(rule, "", "nothing of use is left");
    }
    FieldError first = errors.all().get(0);
    return new Omission(rule, first.path(), first.reason());
  }
}

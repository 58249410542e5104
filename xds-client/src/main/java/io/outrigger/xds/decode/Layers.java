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
 * Applies the rules of an overlay to a valid message and decodes the result. A rule that would make
 * the message invalid is left out as a whole; the other rules still apply.
 *
 * @param <V> the type that a message is decoded to
 */
final class Layers<V> {
  /** A rule and the patch that it applies to the message. */
  record Layer(OverlayRule rule, Patch patch) {}

  /**
   * The decoded value and the effect of the rules.
   *
   * @param value the decoded message; the value without the overlay if no rule has set a field
   */
  record Result<V>(V value, OverlayEffect effect) {}

  /** Decodes a message to a value. */
  interface Decoder<V> {
    Optional<V> decode(Message message, FieldErrors errors);
  }

  private final Message own;
  private final V ownValue;
  private final Decoder<V> decoder;

  /**
   * Creates layers over {@code own}, a message that was decoded without an error.
   *
   * @param ownValue the value that {@code own} was decoded to
   */
  Layers(Message own, V ownValue, Decoder<V> decoder) {
    this.own = own;
    this.ownValue = ownValue;
    this.decoder = decoder;
  }

  /** Applies all {@code layers} in their order. */
  Result<V> lay(List<Layer> layers) {
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
    List<OverlayRule> matched = layers.stream().map(Layer::rule).toList();
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

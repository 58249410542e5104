package io.outrigger.xds.decode;

import com.google.protobuf.Message;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.overlay.OverlayEffect.Omission;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.xds.overlay.Merge;
import io.outrigger.xds.overlay.Overlay;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Applies the rules of an overlay to a valid message and decodes the result. A rule that would make
 * the message invalid is left out as a whole; the other rules still apply.
 */
final class Layers {
  private Layers() {}

  /**
   * The decoded value and the effect of the rules.
   *
   * @param value the decoded message; the value without the overlay if no rule has set a field
   */
  record Result<V>(V value, OverlayEffect effect) {}

  interface Decoder<V> {
    Optional<V> decode(Message message, FieldErrors errors);
  }

  /**
   * Applies all {@code rules} in their order to {@code own}, a message that was decoded without an
   * error.
   *
   * @param ownValue the value that {@code own} was decoded to
   */
  static <V> Result<V> lay(
      Message own, V ownValue, List<? extends Overlay.Rule> rules, Decoder<V> decoder) {
    var merged = new Merge(own);
    V last = ownValue;
    List<Omission> leftOut = new ArrayList<>();
    for (Overlay.Rule rule : rules) {
      Merge tried = merged.fork();
      if (!tried.lay(rule.rule(), rule.patch())) {
        continue;
      }
      FieldErrors errors = FieldErrors.ofResource();
      Optional<V> value = decoder.decode(tried.message(), errors);
      if (value.isPresent() && errors.isEmpty()) {
        merged = tried;
        last = value.get();
      } else {
        leftOut.add(omission(rule.rule(), errors));
      }
    }
    List<OverlayRule> matched = rules.stream().<OverlayRule>map(Overlay.Rule::rule).toList();
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

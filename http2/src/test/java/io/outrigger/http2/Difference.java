package io.outrigger.http2;

import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A known case in which Netty and this implementation respond to a frame in different ways, with
 * the reason why ours is correct or equally good. A test plays the example of each difference, so
 * that a case that no longer differs must be removed from the list.
 */
sealed interface Difference permits StateDifference, WindowDifference, FieldDifference {
  /** The effect of a difference on the states of both sides. */
  enum After {
    /** Both sides are in the same state. */
    GOES_ON,
    ENDS
  }

  /**
   * @param reason the reason by the RFC; sections without another number are sections of RFC 9113
   * @param fits whether a moment in which the responses differ is a case of this difference
   * @param example a script of which only the last step has different responses
   */
  record Rule(String reason, After after, Predicate<Moment> fits, Script example) {}

  Rule rule();

  /** Whether both sides are still in the same state. */
  default boolean goesOn() {
    return rule().after() == After.GOES_ON;
  }

  static Stream<Difference> all() {
    return Stream.of(StateDifference.values(), WindowDifference.values(), FieldDifference.values())
        .flatMap(Stream::of);
  }

  /** The first difference of which {@code moment} is a case; null when there is none. */
  static @Nullable Difference of(Moment moment) {
    return all().filter(each -> each.rule().fits().test(moment)).findFirst().orElse(null);
  }
}

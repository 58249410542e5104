package io.outrigger.http2;

import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where Netty and we answer a frame in different ways, and why ours is right, or as good. Each has
 * an example, which a test plays: what is no difference any more must leave the list.
 */
sealed interface Difference permits StateDifference, WindowDifference, FieldDifference {
  /** What a difference leaves behind. */
  enum After {
    /** Both are in the same state. */
    GOES_ON,
    ENDS
  }

  /**
   * @param reason by the RFC; its sections are those of RFC 9113 where no other is named
   * @param fits whether a moment, in which the answers differ, is a case of it
   * @param example a script of which only the last step is answered in different ways
   */
  record Rule(String reason, After after, Predicate<Moment> fits, Script example) {}

  Rule rule();

  /** Whether the states of both are still the same. */
  default boolean goesOn() {
    return rule().after() == After.GOES_ON;
  }

  static Stream<Difference> all() {
    return Stream.of(StateDifference.values(), WindowDifference.values(), FieldDifference.values())
        .flatMap(Stream::of);
  }

  /** The first one that {@code moment} is a case of; null when it is of none. */
  static @Nullable Difference of(Moment moment) {
    return all().filter(each -> each.rule().fits().test(moment)).findFirst().orElse(null);
  }
}

package io.outrigger.proxy.http2;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where Netty and we answer a frame in different ways, and why ours is right, or as good. Each has
 * an example, which a test plays: what is no difference any more must leave the list.
 */
sealed interface Difference permits KnownDifference, WindowDifference, FieldDifference {
  /** What a difference leaves behind. */
  enum After {
    /** Both are in the same state. */
    GOES_ON,
    ENDS
  }

  /** By the RFC; its sections are those of RFC 9113 where no other is named. */
  String reason();

  /** Whether {@code moment}, in which the answers differ, is a case of it. */
  boolean fits(Moment moment);

  /** Whether the states of both are still the same. */
  boolean goesOn();

  /** A script of which only the last step is answered in different ways. */
  Script example();

  static Stream<Difference> all() {
    return Stream.of(KnownDifference.values(), WindowDifference.values(), FieldDifference.values())
        .flatMap(Stream::of);
  }

  /** The first one that {@code moment} is a case of; null when it is of none. */
  static @Nullable Difference of(Moment moment) {
    return all().filter(each -> each.fits(moment)).findFirst().orElse(null);
  }
}

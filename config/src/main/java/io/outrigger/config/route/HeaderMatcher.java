package io.outrigger.config.route;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A route's condition on one header (A28 "Header Matching"). If the header is absent, only {@link
 * Present} can match; conditions on the value never match, not even with {@code invert}.
 */
public sealed interface HeaderMatcher {
  /** The headers whose values logs and status views never show. */
  Set<String> SECRETS = Set.of("authorization", "proxy-authorization", "cookie", "set-cookie");

  String name();

  /** Whether the joined values of a header match. {@code value} is null if the header is absent. */
  boolean matches(@Nullable String value);

  default boolean matches(RequestView request) {
    return matches(request.header(name()));
  }

  /** Matches a value that {@code matcher} accepts; with {@code invert}, a value that it refuses. */
  record Value(String name, StringMatcher matcher, boolean invert) implements HeaderMatcher {
    @Override
    public boolean matches(@Nullable String value) {
      return value != null && matcher.matches(value) != invert;
    }

    /** Whether the expected value is a credential. */
    private boolean isSecret() {
      return SECRETS.contains(name);
    }

    @Override
    public String toString() {
      return name + (invert ? " not " : " ") + (isSecret() ? "as configured" : matcher);
    }
  }

  /** Matches a decimal integer in {@code [start, end)}; with {@code invert}, any other value. */
  record Range(String name, long start, long end, boolean invert) implements HeaderMatcher {
    @Override
    public boolean matches(@Nullable String value) {
      return value != null && inRange(value) != invert;
    }

    private boolean inRange(String value) {
      try {
        long number = Long.parseLong(value);
        return number >= start && number < end;
      } catch (NumberFormatException notANumber) {
        return false;
      }
    }

    @Override
    public String toString() {
      return name + (invert ? " not" : "") + " in [" + start + ", " + end + ")";
    }
  }

  /** Matches if the header is present; with {@code present} false, if the header is absent. */
  record Present(String name, boolean present) implements HeaderMatcher {
    @Override
    public boolean matches(@Nullable String value) {
      return (value != null) == present;
    }

    @Override
    public String toString() {
      return name + (present ? " present" : " absent");
    }
  }
}

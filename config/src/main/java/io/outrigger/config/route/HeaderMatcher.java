package io.outrigger.config.route;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a route matches one header (A28 "Header Matching").
 *
 * <p>An absent header fails every matcher of values, inverted or not; only {@link Present} sees
 * absence.
 */
public sealed interface HeaderMatcher {
  /** Headers whose values are not to be shown. */
  Set<String> SECRETS = Set.of("authorization", "proxy-authorization", "cookie", "set-cookie");

  /** The header's name in lower case. */
  String name();

  /** Whether the request's joined value, or its absence (null), matches. */
  boolean matches(@Nullable String value);

  /** Convenience over {@link #matches(String)}. */
  default boolean matches(RequestView request) {
    return matches(request.header(name()));
  }

  /** The value satisfies {@code matcher}, or does not when inverted. */
  record Value(String name, StringMatcher matcher, boolean invert) implements HeaderMatcher {
    @Override
    public boolean matches(@Nullable String value) {
      return value != null && matcher.matches(value) != invert;
    }

    /** What a credential is compared with is nobody's business. */
    private boolean isSecret() {
      return SECRETS.contains(name);
    }

    @Override
    public String toString() {
      return name + (invert ? " not " : " ") + (isSecret() ? "as configured" : matcher);
    }
  }

  /** The value is a decimal integer in {@code [start, end)}; a non-number matches only inverted. */
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

  /** The header is there ({@code present}) or is not. */
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

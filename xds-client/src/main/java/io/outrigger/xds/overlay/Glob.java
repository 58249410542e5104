package io.outrigger.xds.overlay;

import io.outrigger.base.AnyThread;
import org.jspecify.annotations.Nullable;

/**
 * A pattern for names: {@code *} stands for any text, {@code ?} for one character, everything else
 * for itself. Matches as a whole, in time proportional to the product of both lengths at worst.
 */
@AnyThread
public final class Glob {
  private final String pattern;

  /** What every name begins and ends with: most names of many are passed over by that. */
  private final String start;

  private final String end;

  public Glob(String pattern) {
    this.pattern = pattern;
    this.start = pattern.substring(0, firstWild(pattern));
    this.end = pattern.substring(lastWild(pattern) + 1);
  }

  private static int firstWild(String pattern) {
    int first = 0;
    while (first < pattern.length() && !isWild(pattern.charAt(first))) {
      first++;
    }
    return first;
  }

  private static int lastWild(String pattern) {
    int last = pattern.length() - 1;
    while (last >= 0 && !isWild(pattern.charAt(last))) {
      last--;
    }
    return last;
  }

  private static boolean isWild(char c) {
    return c == '*' || c == '?';
  }

  public boolean matches(String text) {
    return text.endsWith(end) && text.startsWith(start) && matchesWhole(text);
  }

  private boolean matchesWhole(String text) {
    int at = 0;
    int next = 0;
    int star = -1; // the last one met,
    int from = 0; // and where in the text what follows it was tried
    while (next < text.length()) {
      char wanted = at < pattern.length() ? pattern.charAt(at) : 0;
      if (at < pattern.length() && wanted == '*') {
        star = at++;
        from = next;
      } else if (at < pattern.length() && (wanted == '?' || wanted == text.charAt(next))) {
        at++;
        next++;
      } else if (star >= 0) {
        at = star + 1;
        next = ++from;
      } else {
        return false;
      }
    }
    while (at < pattern.length() && pattern.charAt(at) == '*') {
      at++;
    }
    return at == pattern.length();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Glob that && pattern.equals(that.pattern);
  }

  @Override
  public int hashCode() {
    return pattern.hashCode();
  }

  @Override
  public String toString() {
    return pattern;
  }
}

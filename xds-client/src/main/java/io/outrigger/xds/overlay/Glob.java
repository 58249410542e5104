package io.outrigger.xds.overlay;

import io.outrigger.base.AnyThread;
import org.jspecify.annotations.Nullable;

/**
 * A pattern for names: {@code *} matches any text, {@code ?} matches one character, and every other
 * character matches itself. The pattern must match the whole name. In the worst case a match takes
 * time proportional to the product of both lengths.
 */
@AnyThread
public final class Glob {
  private final String pattern;

  /**
   * The literal prefix and suffix that every matching name has. Comparing the prefix and the suffix
   * first rejects most names quickly.
   */
  private final String literalPrefix;

  private final String literalSuffix;

  public Glob(String pattern) {
    this.pattern = pattern;
    this.literalPrefix = pattern.substring(0, firstWild(pattern));
    this.literalSuffix = pattern.substring(lastWild(pattern) + 1);
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
    return text.endsWith(literalSuffix) && text.startsWith(literalPrefix) && matchesWhole(text);
  }

  private boolean matchesWhole(String text) {
    int patternIndex = 0;
    int textIndex = 0;
    int starIndex = -1; // index of the last star that was read from the pattern
    int retryIndex = 0; // index in the text where the pattern after that star was last tried
    while (textIndex < text.length()) {
      char wanted = patternIndex < pattern.length() ? pattern.charAt(patternIndex) : 0;
      if (patternIndex < pattern.length() && wanted == '*') {
        starIndex = patternIndex++;
        retryIndex = textIndex;
      } else if (patternIndex < pattern.length()
          && (wanted == '?' || wanted == text.charAt(textIndex))) {
        patternIndex++;
        textIndex++;
      } else if (starIndex >= 0) {
        patternIndex = starIndex + 1;
        textIndex = ++retryIndex;
      } else {
        return false;
      }
    }
    while (patternIndex < pattern.length() && pattern.charAt(patternIndex) == '*') {
      patternIndex++;
    }
    return patternIndex == pattern.length();
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

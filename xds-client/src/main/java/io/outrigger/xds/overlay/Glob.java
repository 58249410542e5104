package io.outrigger.xds.overlay;

import io.outrigger.base.AnyThread;
import java.util.List;

/**
 * A pattern for names: {@code *} matches any text, {@code ?} matches one character, and every other
 * character matches itself. The pattern must match the whole name. In the worst case a match takes
 * time proportional to the product of both lengths.
 */
@AnyThread
public record Glob(String pattern) {
  static boolean any(List<Glob> globs, String text) {
    for (Glob glob : globs) {
      if (glob.matches(text)) {
        return true;
      }
    }
    return false;
  }

  public boolean matches(String text) {
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
  public String toString() {
    return pattern;
  }
}

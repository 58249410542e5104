package io.outrigger.base;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the known name that is most similar to a misspelt name. */
public final class DidYouMean {
  /** Limits the length of compared texts, because a comparison takes quadratic time. */
  private static final int MAX_LENGTH = 100;

  private DidYouMean() {}

  /**
   * Returns the known name with the fewest differences from {@code text}. Returns empty if each
   * name differs from {@code text} by more than one character in three. Case, {@code -} and {@code
   * _} are ignored.
   */
  public static Optional<String> nearest(String text, Collection<String> known) {
    if (text.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    String plain = plain(text);
    return known.stream()
        .filter(name -> differences(plain, plain(name)) <= Math.max(1, plain.length() / 3))
        .min(Comparator.comparingInt(name -> differences(plain, plain(name))));
  }

  /** Returns a question such as {@code ; did you mean --forward?}, or an empty text. */
  public static String question(String text, Collection<String> known) {
    return nearest(text, known).map(name -> "; did you mean " + name + "?").orElse("");
  }

  private static String plain(String name) {
    return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
  }

  /** Counts insertions, deletions, replacements and swaps of adjacent characters. */
  private static int differences(String a, String b) {
    int[][] distance = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          distance[i][j] = i + j;
          continue;
        }
        int replaced = distance[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        distance[i][j] = Math.min(replaced, 1 + Math.min(distance[i - 1][j], distance[i][j - 1]));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          distance[i][j] = Math.min(distance[i][j], distance[i - 2][j - 2] + 1);
        }
      }
    }
    return distance[a.length()][b.length()];
  }
}

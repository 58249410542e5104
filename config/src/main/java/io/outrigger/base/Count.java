package io.outrigger.base;

import java.util.List;

/** Formats numbers with their nouns, and lists, for messages. */
@AnyThread
public final class Count {
  private Count() {}

  /**
   * Returns a text such as {@code 1 cluster} or {@code 2 clusters}.
   *
   * @param one the singular of a noun whose plural ends in s
   */
  public static String of(long number, String one) {
    return number + " " + one + (number == 1 ? "" : "s");
  }

  /** Returns the first {@code max} of {@code texts}, and how many more there are. */
  public static String list(List<String> texts, int max) {
    int more = texts.size() - max;
    return more <= 0
        ? String.join(", ", texts)
        : String.join(", ", texts.subList(0, max)) + " and " + more + " more";
  }
}

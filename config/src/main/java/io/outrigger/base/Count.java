package io.outrigger.base;

import java.util.List;

/** Formats counts, such as {@code 2 clusters}, and shortened lists for messages. */
public final class Count {
  private Count() {}

  public static String of(long number, String singular) {
    return number + " " + singular + (number == 1 ? "" : "s");
  }

  /** Joins up to {@code max} texts by commas, and adds the number of further texts, if any. */
  public static String list(List<String> texts, int max) {
    int more = texts.size() - max;
    return more <= 0
        ? String.join(", ", texts)
        : String.join(", ", texts.subList(0, max)) + " and " + more + " more";
  }
}

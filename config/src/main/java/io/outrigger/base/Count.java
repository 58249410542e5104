package io.outrigger.base;

/** Formats a number and its noun for messages. */
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
}

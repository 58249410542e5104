package io.outrigger.base;

/** How many there are of something, for people. */
@AnyThread
public final class Count {
  private Count() {}

  /**
   * Such as {@code 1 cluster}, {@code 2 clusters}.
   *
   * @param one the word for one of them, whose plural has an s at the end
   */
  public static String of(long number, String one) {
    return number + " " + one + (number == 1 ? "" : "s");
  }
}

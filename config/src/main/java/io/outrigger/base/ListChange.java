package io.outrigger.base;

import java.util.List;

/**
 * The difference of two lists: all elements between their equal heads and equal tails. An element
 * at a new position counts as both removed and added.
 *
 * @param head the number of equal elements at the start of both lists
 * @param tail the number of equal elements at the end of both lists
 */
public record ListChange<T>(int head, List<T> removed, List<T> added, int tail) {
  /** Compares two lists from both ends. The result contains views of the lists, not copies. */
  public static <T> ListChange<T> between(List<T> before, List<T> after) {
    int shorter = Math.min(before.size(), after.size());
    int head = 0;
    while (head < shorter && isSame(before.get(head), after.get(head))) {
      head++;
    }
    int tail = 0;
    while (tail < shorter - head
        && isSame(before.get(before.size() - 1 - tail), after.get(after.size() - 1 - tail))) {
      tail++;
    }
    return new ListChange<>(
        head,
        before.subList(head, before.size() - tail),
        after.subList(head, after.size() - tail),
        tail);
  }

  /** Compares identities first, because equal elements are mostly the same instance. */
  private static boolean isSame(Object before, Object after) {
    return before == after || before.equals(after);
  }
}

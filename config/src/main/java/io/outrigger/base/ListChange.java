package io.outrigger.base;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The difference of two lists between their common head and tail. An element that moved is both
 * removed and added.
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

  public boolean isEmpty() {
    return removed.isEmpty() && added.isEmpty();
  }

  /**
   * Returns a list equal to {@code next} that reuses equal elements of {@code previous}, so that
   * later comparisons are fast. Returns {@code previous} itself if the two lists are equal.
   */
  public static <T> List<T> shared(List<T> previous, List<T> next) {
    ListChange<T> change = between(previous, next);
    if (change.isEmpty()) {
      return previous;
    }
    List<T> shared = new ArrayList<>(next.size());
    shared.addAll(previous.subList(0, change.head));
    Map<T, T> known = new HashMap<>();
    change.removed.forEach(element -> known.put(element, element));
    change.added.forEach(element -> shared.add(known.getOrDefault(element, element)));
    shared.addAll(previous.subList(previous.size() - change.tail, previous.size()));
    return shared;
  }
}

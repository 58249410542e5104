package io.outrigger.base;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What separates two lists, apart from the head and the tail that they share: all that an update
 * has to look at when a few elements of many come or go. An element that moved is in both parts.
 *
 * @param head how many elements both begin with
 * @param removed what the list before has between head and tail
 * @param added what the list after has there
 * @param tail how many elements both end with
 */
public record ListChange<T>(int head, List<T> removed, List<T> added, int tail) {
  /** Compares from both ends; the answer shows parts of the two lists, which are not copied. */
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

  /** Most often it is the very object, which need not be looked at. */
  private static boolean isSame(Object before, Object after) {
    return before == after || before.equals(after);
  }

  /** Whether the lists are equal. */
  public boolean isEmpty() {
    return removed.isEmpty() && added.isEmpty();
  }

  /**
   * The elements of {@code after}, where possible as the very objects of {@code before}: whoever
   * compares the two lists next is done with most of them at a glance. {@code before} itself when
   * nothing differs.
   */
  public static <T> List<T> shared(List<T> before, List<T> after) {
    ListChange<T> change = between(before, after);
    if (change.isEmpty()) {
      return before;
    }
    List<T> shared = new ArrayList<>(after.size());
    shared.addAll(before.subList(0, change.head));
    Map<T, T> known = new HashMap<>();
    change.removed.forEach(element -> known.put(element, element));
    change.added.forEach(element -> shared.add(known.getOrDefault(element, element)));
    shared.addAll(before.subList(before.size() - change.tail, before.size()));
    return shared;
  }
}

package io.outrigger.lb;

import java.util.List;

/**
 * What separates two lists, apart from the head and the tail that they share: all that an update
 * has to look at when a few endpoints of many come or go. An element that moved within is in both.
 *
 * @param removed what the list before has between head and tail
 * @param added what the list after has there
 */
public record ListChange<T>(List<T> removed, List<T> added) {
  /** Compares from both ends; the answer shows parts of the two lists, which are not copied. */
  public static <T> ListChange<T> between(List<T> before, List<T> after) {
    int shorter = Math.min(before.size(), after.size());
    int head = 0;
    while (head < shorter && before.get(head).equals(after.get(head))) {
      head++;
    }
    int tail = 0;
    while (tail < shorter - head
        && before.get(before.size() - 1 - tail).equals(after.get(after.size() - 1 - tail))) {
      tail++;
    }
    return new ListChange<>(
        before.subList(head, before.size() - tail), after.subList(head, after.size() - tail));
  }
}

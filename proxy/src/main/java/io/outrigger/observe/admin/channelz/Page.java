package io.outrigger.observe.admin.channelz;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A part of a list that is ordered by id.
 *
 * @param end whether no element follows
 */
record Page<T>(List<T> items, boolean end) {
  /** The size of a page, both by default and at most. */
  static final int SIZE = 100;

  Page {
    items = List.copyOf(items);
  }

  /** Returns the first {@code size} elements of {@code rest}. */
  static <T> Page<T> of(Collection<T> rest, int size) {
    return new Page<>(rest.stream().limit(size).toList(), rest.size() <= size);
  }

  /** Returns the first {@code size} elements of this page. */
  Page<T> first(int size) {
    return items.size() <= size ? this : new Page<>(items.subList(0, size), false);
  }

  /**
   * Returns this page. If it has fewer than {@code size} elements and the list ends, elements of
   * {@code next} follow.
   */
  Page<T> followedBy(Collection<T> next, int size) {
    if (!end) {
      return this;
    }
    Page<T> more = of(next, size - items.size());
    List<T> all = new ArrayList<>(items);
    all.addAll(more.items());
    return new Page<>(all, more.end());
  }
}

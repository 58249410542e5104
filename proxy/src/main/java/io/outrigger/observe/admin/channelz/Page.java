package io.outrigger.observe.admin.channelz;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A part of a list that is in the order of ids.
 *
 * @param end whether nothing follows
 */
record Page<T>(List<T> items, boolean end) {
  /** As many as one answer has when the request does not say, and at most. */
  static final int SIZE = 100;

  Page {
    items = List.copyOf(items);
  }

  /** The first {@code size} of {@code rest}. */
  static <T> Page<T> of(Collection<T> rest, int size) {
    return new Page<>(rest.stream().limit(size).toList(), rest.size() <= size);
  }

  /** This page, or its first {@code size}. */
  Page<T> cut(int size) {
    return items.size() <= size ? this : new Page<>(items.subList(0, size), false);
  }

  /** This page, filled up to {@code size} with what follows the list that it is of. */
  Page<T> then(Collection<T> next, int size) {
    if (!end) {
      return this;
    }
    Page<T> more = of(next, size - items.size());
    List<T> all = new ArrayList<>(items);
    all.addAll(more.items());
    return new Page<>(all, more.end());
  }
}

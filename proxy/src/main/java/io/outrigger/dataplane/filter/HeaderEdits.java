package io.outrigger.dataplane.filter;

import io.outrigger.config.route.WireText;

/**
 * A header block that a filter may change. Names are lower case, values {@link WireText}. Fields by
 * which the proxy itself goes, such as {@code :path}, {@code host} or {@code content-type}, stay as
 * they are: edits of them are ignored.
 */
public interface HeaderEdits {
  boolean contains(String name);

  /** Adds a field behind all others. */
  void add(String name, String value);

  /** Removes every field of that name. */
  void remove(String name);
}

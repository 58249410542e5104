package io.outrigger.dataplane.filter;

import io.outrigger.config.route.WireText;

/**
 * A header block that a filter may edit. Names are in lower case; values are {@link WireText}.
 * Edits of fields that the proxy itself uses, such as {@code :path}, {@code host} or {@code
 * content-type}, are ignored.
 */
public interface HeaderEdits {
  boolean contains(String name);

  /** Adds a field after all others. */
  void add(String name, String value);

  /** Removes all fields called {@code name}. */
  void remove(String name);
}

package io.outrigger.config.route;

import org.jspecify.annotations.Nullable;

/** The properties of a request that route matching reads; texts are in {@link WireText} form. */
public interface RequestView {
  /** Returns the {@code :path} as received, including the query. */
  String path();

  /**
   * Returns the value of a header, with several values joined by {@code ","}. Returns null when the
   * header is absent, and for pseudo-headers and names ending in {@code -bin} (A28).
   *
   * @param name the header's name in lower case
   */
  @Nullable String header(String name);
}

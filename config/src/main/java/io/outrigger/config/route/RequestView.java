package io.outrigger.config.route;

import org.jspecify.annotations.Nullable;

/** What route matching may see of a request; texts are {@link WireText}. */
public interface RequestView {
  /** The {@code :path} as received, with its query if it has one. */
  String path();

  /**
   * The value of a header, several values joined by {@code ","}; null when absent.
   *
   * <p>Pseudo-headers and names ending in {@code -bin} are invisible: null (A28).
   *
   * @param name lower case
   */
  @Nullable String header(String name);
}

package io.outrigger.xds.decode;

import java.util.Locale;

/** Field names as people write them in configuration. */
final class Names {
  private Names() {}

  /** The field that a oneof case stands for, such as {@code cluster_header}. */
  static String ofCase(Enum<?> oneofCase) {
    return oneofCase.name().toLowerCase(Locale.ROOT);
  }
}

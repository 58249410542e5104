package io.outrigger.xds.decode;

import java.util.Locale;

/** Converts names of generated code to field names of the proto files. */
final class Names {
  private Names() {}

  /** Returns the name of the field that a oneof case represents, such as {@code cluster_header}. */
  static String ofCase(Enum<?> oneofCase) {
    return oneofCase.name().toLowerCase(Locale.ROOT);
  }
}

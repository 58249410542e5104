package io.outrigger.config.bootstrap;

import java.util.List;

/** The result of {@link BootstrapReader} for a document. */
public sealed interface BootstrapResult {
  /** The document is valid; {@code warnings} lists probable mistakes of the operator. */
  record Accepted(Bootstrap bootstrap, List<Finding> warnings) implements BootstrapResult {
    public Accepted {
      warnings = List.copyOf(warnings);
    }
  }

  /** The document is invalid. {@code errors} has at least one entry, in the order of reading. */
  record Refused(List<Finding> errors) implements BootstrapResult {
    public Refused {
      errors = List.copyOf(errors);
      if (errors.isEmpty()) {
        throw new IllegalArgumentException("refused without an error");
      }
    }
  }
}

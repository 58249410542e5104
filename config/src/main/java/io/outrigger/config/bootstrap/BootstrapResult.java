package io.outrigger.config.bootstrap;

import java.util.List;

/** What {@link BootstrapReader} makes of a document. */
public sealed interface BootstrapResult {
  /**
   * The document can be used.
   *
   * @param warnings what an operator should look at, although it is no error
   */
  record Accepted(Bootstrap bootstrap, List<Finding> warnings) implements BootstrapResult {
    public Accepted {
      warnings = List.copyOf(warnings);
    }
  }

  /**
   * The document cannot be used.
   *
   * @param errors all that is wrong with it, in the order of the reading; at least one
   */
  record Refused(List<Finding> errors) implements BootstrapResult {
    public Refused {
      errors = List.copyOf(errors);
      if (errors.isEmpty()) {
        throw new IllegalArgumentException("refused without an error");
      }
    }
  }
}

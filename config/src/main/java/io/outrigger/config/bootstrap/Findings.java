package io.outrigger.config.bootstrap;

import java.util.ArrayList;
import java.util.List;

/**
 * Collects the errors and warnings of one document. One thread uses an instance, for one reading.
 */
final class Findings {
  private final List<Finding> errors = new ArrayList<>();
  private final List<Finding> warnings = new ArrayList<>();

  void error(String path, String message) {
    errors.add(new Finding(path, message));
  }

  void warn(String path, String message) {
    warnings.add(new Finding(path, message));
  }

  List<Finding> errors() {
    return errors;
  }

  List<Finding> warnings() {
    return warnings;
  }
}

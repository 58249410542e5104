package io.outrigger.xds.overlay;

import io.outrigger.xds.overlay.Located.Place;

/** Receives the problems that are found in an overlay document. */
public interface DocumentFindings {
  /**
   * Reports a field that is wrong.
   *
   * @param field the path of the field in the rule, such as {@code
   *     patch.outlier_detection.interval}
   */
  void add(Place place, String field, String reason);

  /** Reports a field that is valid but has no effect. */
  void ignore(Place place, String field, String reason);
}

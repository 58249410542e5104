package io.outrigger.xds.overlay;

import io.outrigger.xds.overlay.Located.Place;

/** Takes what is wrong with a document. */
public interface DocumentFindings {
  /**
   * Notes one thing.
   *
   * @param field its path in the rule, such as {@code patch.outlier_detection.interval}
   */
  void add(Place place, String field, String reason);

  /** Notes a field that is valid, and has no effect. */
  void ignore(Place place, String field, String reason);
}

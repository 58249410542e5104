package io.outrigger.config.endpoint;

/** Where endpoints stand; each part may be empty. */
public record Locality(String region, String zone, String subZone) {
  /** {@code region/zone/sub_zone}. */
  @Override
  public String toString() {
    return region + "/" + zone + "/" + subZone;
  }
}

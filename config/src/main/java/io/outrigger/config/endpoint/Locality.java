package io.outrigger.config.endpoint;

/** The region, zone and sub-zone of endpoints; each part may be empty. */
public record Locality(String region, String zone, String subZone) {
  /** Returns {@code region/zone/sub_zone}. */
  @Override
  public String toString() {
    return region + "/" + zone + "/" + subZone;
  }

  /** Returns the same text as {@link #toString} for people: empty when no part is set. */
  public String shown() {
    return shown(toString());
  }

  /** Returns {@code locality}, a text of {@link #toString}, for people. */
  public static String shown(String locality) {
    return locality.equals("//") ? "" : locality;
  }

  /**
   * Returns the value of the metric label {@code grpc.lb.locality} (A78 "Optional xDS Locality
   * Label").
   */
  public String label() {
    return "{region=\"%s\", zone=\"%s\", sub_zone=\"%s\"}".formatted(region, zone, subZone);
  }
}

package io.outrigger.config.endpoint;

/** Where endpoints stand; each part may be empty. */
public record Locality(String region, String zone, String subZone) {
  /** {@code region/zone/sub_zone}. */
  @Override
  public String toString() {
    return region + "/" + zone + "/" + subZone;
  }

  /** The form that metrics have ({@code grpc.lb.locality}, A78 "Optional xDS Locality Label"). */
  public String label() {
    return "{region=\"%s\", zone=\"%s\", sub_zone=\"%s\"}".formatted(region, zone, subZone);
  }
}

package io.outrigger.config.endpoint;

import org.jspecify.annotations.Nullable;

/** The region, zone and sub-zone of endpoints; each part may be empty. */
public record Locality(String region, String zone, String subZone) {
  /** Replaces the generated {@code equals}, whose first call delays the process by milliseconds. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Locality that
        && region.equals(that.region)
        && zone.equals(that.zone)
        && subZone.equals(that.subZone);
  }

  @Override
  public int hashCode() {
    return (region.hashCode() * 31 + zone.hashCode()) * 31 + subZone.hashCode();
  }

  @Override
  public String toString() {
    return region + "/" + zone + "/" + subZone;
  }

  public int length() {
    return region.length() + zone.length() + subZone.length();
  }

  /** Returns the text for people: like {@link #toString}, but empty if all parts are empty. */
  public String shown() {
    return shown(toString());
  }

  public static String shown(String locality) {
    return locality.equals("//") ? "" : locality;
  }

  /** Returns the metric label {@code grpc.lb.locality} (A78 "Optional xDS Locality Label"). */
  public String label() {
    return "{region=\"%s\", zone=\"%s\", sub_zone=\"%s\"}".formatted(region, zone, subZone);
  }
}

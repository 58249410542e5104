package io.outrigger.observe.telemetry;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds the OpenTelemetry variable that an error of the SDK is about. The SDK names the property or
 * the value, but not the environment variable.
 */
final class WrongVariable {
  private static final String PREFIX = "OTEL_";

  private WrongVariable() {}

  /**
   * Returns the error in one line, with the variable and the remedy.
   *
   * @param environment the environment variables of the process
   */
  static String message(Map<String, String> environment, String complaint) {
    String line = complaint.strip().replaceAll("\\s*\\R\\s*", " ");
    Map<String, String> given = new TreeMap<>(environment);
    given.keySet().removeIf(name -> !name.startsWith(PREFIX));
    return given.entrySet().stream()
        .filter(each -> line.contains(propertyOf(each.getKey())))
        .findFirst()
        .or(
            () ->
                given.entrySet().stream()
                    .filter(each -> !each.getValue().isBlank() && line.contains(each.getValue()))
                    .findFirst())
        .map(
            each ->
                "%s=%s: %s; give a value that OpenTelemetry knows, or unset it"
                    .formatted(each.getKey(), each.getValue(), line))
        .orElseGet(
            () ->
                given.isEmpty()
                    ? line
                    : "%s; look at %s".formatted(line, String.join(", ", given.keySet())));
  }

  /** Converts {@code OTEL_BSP_SCHEDULE_DELAY} to {@code otel.bsp.schedule.delay}. */
  private static String propertyOf(String variable) {
    return variable.toLowerCase(Locale.ROOT).replace('_', '.');
  }
}

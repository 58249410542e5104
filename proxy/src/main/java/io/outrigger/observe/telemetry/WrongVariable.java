package io.outrigger.observe.telemetry;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which of OpenTelemetry's variables a complaint of its SDK is about. The SDK names the property or
 * the value, never the variable that was set.
 */
final class WrongVariable {
  private static final String PREFIX = "OTEL_";

  private WrongVariable() {}

  /**
   * The complaint in one line, with the variable and what to do about it.
   *
   * @param environment of the process
   */
  static String told(Map<String, String> environment, String complaint) {
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

  /** {@code otel.bsp.schedule.delay} of {@code OTEL_BSP_SCHEDULE_DELAY}. */
  private static String propertyOf(String variable) {
    return variable.toLowerCase(Locale.ROOT).replace('_', '.');
  }
}

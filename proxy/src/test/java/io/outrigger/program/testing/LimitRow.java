package io.outrigger.program.testing;

import java.util.List;
import java.util.stream.Stream;

/**
 * A row of A31's two tables of time limits: what the app, the route and the listener say, and what
 * holds. {@code -} is a field that is not set, or no limit; {@code empty} in {@code headerMax} a
 * {@code max_stream_duration} with neither field.
 *
 * @param row of the conformance table; {@code -} for what A31 leaves open
 */
public record LimitRow(
    String row,
    String app,
    String headerMax,
    String streamMax,
    String listener,
    String maxGrpc,
    String timeout,
    String effective) {
  // row    | app | header max | stream max | listener | max grpc | timeout | effective
  private static final String TABLE =
      """
      A31-15 | 20s | 10s        | -          | -        | -        | -       | 10s
      A31-16 | 20s | 0s         | -          | -        | -        | -       | 20s
      A31-16 | -   | 0s         | -          | -        | -        | -       | -
      A31-17 | -   | 10s        | 5s         | -        | -        | -       | 10s
      A31-17 | -   | 0s         | 5s         | -        | -        | -       | -
      A31-18 | -   | -          | 5s         | -        | -        | -       | 5s
      A31-18 | 3s  | -          | 5s         | -        | -        | -       | 3s
      A31-19 | -   | -          | 0s         | 7s       | -        | -       | -
      A31-20 | -   | empty      | -          | 7s       | -        | -       | 7s
      A31-20 | -   | -          | -          | 7s       | -        | -       | 7s
      A31-20 | -   | -          | -          | 0s       | -        | -       | -
      A31-20 | -   | empty      | -          | -        | -        | -       | -
      A31-21 | -   | -          | 5s         | -        | -        | 1s      | 5s
      A31-21 | -   | empty      | -          | -        | 1s       | 1s      | -
      A31-23 | -   | -          | -          | -        | -        | -       | 15s
      A31-24 | -   | -          | -          | -        | -        | 10s     | 10s
      A31-25 | -   | -          | -          | -        | 0s       | 3s      | -
      A31-26 | -   | -          | -          | -        | 10s      | 3s      | 10s
      A31-27 | 10s | -          | -          | -        | -        | -       | 10s
      A31-27 | 20s | -          | -          | -        | -        | -       | 15s
      A31-27 | 20s | -          | -          | -        | -        | 10s     | 10s
      A31-28 | 20s | -          | -          | -        | 0s       | 3s      | 20s
      A31-28 | 20s | -          | -          | -        | 10s      | 3s      | 10s
      A31-29 | -   | -          | -          | -        | -        | 0s      | -
      -      | -   | -          | -          | 7s       | -        | 3s      | 3s
      A31-30 | 1s  | 0s         | -          | -        | -        | -       | 1s
      A31-30 | 1s  | -          | -          | -        | -        | 9s      | 1s
      """;

  /** All rows, in order. */
  public static List<LimitRow> all() {
    return TABLE.lines().map(LimitRow::read).toList();
  }

  private static LimitRow read(String line) {
    String[] cells = Stream.of(line.split("\\|")).map(String::strip).toArray(String[]::new);
    return new LimitRow(
        cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7]);
  }

  /** Whether the route has a {@code max_stream_duration}. */
  public boolean hasStreamDuration() {
    return !headerMax.equals("-") || !streamMax.equals("-");
  }

  /** Whether a cell sets its field. */
  public static boolean isSet(String cell) {
    return !cell.equals("-") && !cell.equals("empty");
  }
}

package io.outrigger.endtoend;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What a soak has seen, as a table and a slope. */
final class SoakReport {
  /**
   * What was seen at one moment.
   *
   * @param at since the start
   * @param rssMib resident memory
   * @param heldMib the same after a collection of garbage
   * @param heapMib what lives on the heap after it
   * @param directMib what buffers take
   * @param active requests under way
   * @param ok calls that had succeeded
   * @param bad calls that had failed
   */
  record Sample(
      Duration at,
      double rssMib,
      double heldMib,
      double heapMib,
      double directMib,
      long active,
      long ok,
      long bad) {}

  private final List<Sample> samples = new ArrayList<>();

  void add(Sample sample) {
    samples.add(sample);
  }

  /**
   * By how much the line of least squares through a kind of memory rises from the point where the
   * run has settled to its end, in MiB.
   *
   * @param mib the kind of memory
   * @param settled the share of the run that is left out
   */
  double growthMib(ToDoubleFunction<Sample> mib, double settled) {
    List<Sample> counted = samples.subList((int) (samples.size() * settled), samples.size());
    double n = counted.size();
    double meanX = counted.stream().mapToDouble(SoakReport::seconds).average().orElse(0);
    double meanY = counted.stream().mapToDouble(mib).average().orElse(0);
    double over = 0;
    double under = 0;
    for (Sample sample : counted) {
      over += (seconds(sample) - meanX) * (mib.applyAsDouble(sample) - meanY);
      under += (seconds(sample) - meanX) * (seconds(sample) - meanX);
    }
    if (n < 3 || under == 0) {
      return 0;
    }
    return over / under * (seconds(counted.get(counted.size() - 1)) - seconds(counted.get(0)));
  }

  private static double seconds(Sample sample) {
    return sample.at.toMillis() / 1e3;
  }

  /** The report. */
  String text(
      Duration length,
      Load unary,
      Load briefly,
      StreamLoad streams,
      PassingApps passing,
      List<String> log) {
    var text = new StringBuilder();
    text.append(format("Soak of %d s%n%n", length.toSeconds()));
    text.append(
        format(
            "%8s %9s %9s %9s %9s %7s %10s %7s%n",
            "second", "RSS MiB", "held", "heap", "direct", "active", "succeeded", "failed"));
    for (Sample s : samples) {
      text.append(
          format(
              "%8.0f %9.1f %9.1f %9.1f %9.1f %7d %10d %7d%n",
              seconds(s), s.rssMib, s.heldMib, s.heapMib, s.directMib, s.active, s.ok, s.bad));
    }
    text.append(
        format(
            "%nunary calls: %d ok, %d failed %s%n"
                + "to a backend that ends its connections every 100 ms: %d ok, %d failed %s%n"
                + "streams: %d ok, failed %s%n",
            unary.succeeded(),
            unary.failed(),
            unary.failures(),
            briefly.succeeded(),
            briefly.failed(),
            briefly.failures(),
            streams.succeeded(),
            streams.failures()));
    text.append(
        format(
            "apps that came and went: %d, calls they cancelled: %d, failed %s%n",
            passing.connections(), passing.cancels(), passing.failures()));
    text.append(
        format(
            "after the first quarter: RSS %+.1f MiB, held after a collection %+.1f MiB%n",
            growthMib(Sample::rssMib, 0.25), growthMib(Sample::heldMib, 0.25)));
    text.append(
        format(
            "leaks reported: %d, warnings and errors in the log: %d%n",
            log.stream().filter(line -> line.contains("LEAK")).count(),
            log.stream()
                .filter(line -> line.contains(" WARN ") || line.contains(" ERROR "))
                .count()));
    return text.toString();
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}

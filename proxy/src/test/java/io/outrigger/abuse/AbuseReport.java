package io.outrigger.abuse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What all trials came to, as a table with a line for each attack: the worst of its trials. */
final class AbuseReport {
  private static final String HEAD = "%-29s %5s %7s %6s %7s %8s %8s %8s %7s %7s %7s %7s %8s %8s%n";
  private static final String ROW =
      "%-29s %5d %7d %6d %7d %8.1f %8.1f %8.1f %7.0f %7.0f %7.0f %7.0f %8s %8s%n";

  private final Map<Attack, List<Trial>> trials = new EnumMap<>(Attack.class);

  void add(Trial trial) {
    trials.computeIfAbsent(trial.attack(), attack -> new ArrayList<>()).add(trial);
  }

  /** Whether a bound was broken. */
  boolean isBroken() {
    return all().stream().anyMatch(trial -> !trial.broken().isEmpty());
  }

  private List<Trial> all() {
    return trials.values().stream().flatMap(List::stream).toList();
  }

  String text() {
    var text = new StringBuilder();
    text.append(
        format(
            HEAD,
            "attack",
            "times",
            "calls",
            "failed",
            "refused",
            "p50 ms",
            "p99 ms",
            "bound ms",
            "RSS MiB",
            "heap",
            "direct",
            "buffers",
            "recovery",
            "survived"));
    trials.forEach((attack, played) -> text.append(row(attack, played)));
    text.append(
        "calls: of the neighbour; heap and direct: held for peers, as the program counts it; buffers:"
            + " all of them\n");
    for (Trial trial : all()) {
      for (String broken : trial.broken()) {
        text.append("broken: ").append(trial.attack().text()).append(": ").append(broken);
        text.append('\n');
      }
    }
    return text.toString();
  }

  private static String row(Attack attack, List<Trial> played) {
    return format(
        ROW,
        attack.text(),
        played.size(),
        played.stream().mapToInt(trial -> trial.calls().count()).sum(),
        played.stream()
            .flatMap(trial -> trial.calls().failures().values().stream())
            .mapToInt(Integer::intValue)
            .sum(),
        played.stream().mapToInt(trial -> trial.calls().refused()).sum(),
        most(played, trial -> millis(trial.calls().quantile(0.5))),
        most(played, trial -> millis(trial.calls().quantile(0.99))),
        most(played, trial -> millis(trial.bound())),
        most(played, trial -> trial.usage().rssMib()),
        most(played, trial -> trial.usage().heapMib()),
        most(played, trial -> trial.usage().directMib()),
        most(played, trial -> trial.usage().buffersMib()),
        recovery(played),
        played.stream().allMatch(Trial::survived) ? "yes" : "NO");
  }

  private static String recovery(List<Trial> played) {
    if (played.stream().anyMatch(trial -> trial.recovery().isEmpty())) {
      return "never";
    }
    return played.stream()
        .map(trial -> trial.recovery().orElseThrow())
        .max(Comparator.naturalOrder())
        .map(time -> format("%.1f s", millis(time) / 1e3))
        .orElseThrow();
  }

  private static double most(List<Trial> played, ToDoubleFunction<Trial> value) {
    return played.stream().mapToDouble(value).max().orElseThrow();
  }

  private static double millis(Duration time) {
    return time.toNanos() / 1e6;
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}

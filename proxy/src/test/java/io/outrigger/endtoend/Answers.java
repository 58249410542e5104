package io.outrigger.endtoend;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Who answered many calls: backends by name, failures by their code. */
final class Answers {
  private Answers() {}

  /** Whether {@code found} has these shares, within five standard deviations of a draw. */
  static boolean fit(Map<String, Integer> found, Map<String, Double> expected, int calls) {
    if (!expected.keySet().containsAll(found.keySet())) {
      return false;
    }
    return expected.entrySet().stream()
        .allMatch(
            share -> {
              double p = share.getValue();
              double most = 5 * Math.sqrt(calls * p * (1 - p)) + 1;
              return Math.abs(found.getOrDefault(share.getKey(), 0) - calls * p) <= most;
            });
  }

  /** How many calls each backend answered; those that failed by their code. */
  static Map<String, Integer> of(App app, int calls) {
    var counts = new TreeMap<String, Integer>();
    List<CompletableFuture<App.Reply>> running = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      running.add(app.send(InteropMain.PATH));
      if (running.size() == 20) {
        running.forEach(reply -> count(counts, App.join(reply)));
        running.clear();
      }
    }
    running.forEach(reply -> count(counts, App.join(reply)));
    return counts;
  }

  private static void count(Map<String, Integer> counts, App.Reply reply) {
    counts.merge(
        reply.status().isOk() ? reply.backend() : reply.code().toString(), 1, Integer::sum);
  }
}

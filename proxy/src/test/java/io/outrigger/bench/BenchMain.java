package io.outrigger.bench;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs the benchmarks, each in processes of its own with this one's JVM options, and prints each
 * figure beside its target.
 */
public final class BenchMain {
  private static final String ALLOCATION = "gc.alloc.rate.norm";

  /** Bytes per operation that are the profiler's own. */
  private static final double NOISE_BYTES = 0.5;

  private BenchMain() {}

  /** One line of the table. */
  private record Row(String name, double nanos, double error, double bytes, Target target) {
    static Row of(RunResult result) {
      Result<?> time = result.getPrimaryResult();
      Result<?> memory = result.getSecondaryResults().get(ALLOCATION);
      if (memory == null) {
        throw new IllegalStateException("the profiler gave no " + ALLOCATION);
      }
      BenchmarkParams params = result.getParams();
      return new Row(
          name(params), time.getScore(), time.getScoreError(), memory.getScore(), target(params));
    }

    private static String name(BenchmarkParams params) {
      String full = params.getBenchmark();
      String simple = full.substring(full.lastIndexOf('.', full.lastIndexOf('.') - 1) + 1);
      String values =
          params.getParamsKeys().stream().map(params::getParam).collect(Collectors.joining(", "));
      return simple.replace("Benchmark", "") + (values.isEmpty() ? "" : " (" + values + ")");
    }

    private static Target target(BenchmarkParams params) {
      String full = params.getBenchmark();
      int dot = full.lastIndexOf('.');
      try {
        for (Method method : Class.forName(full.substring(0, dot)).getMethods()) {
          Target target = method.getAnnotation(Target.class);
          if (target != null && method.getName().equals(full.substring(dot + 1))) {
            return target;
          }
        }
      } catch (ClassNotFoundException e) {
        throw new IllegalStateException(e);
      }
      throw new IllegalStateException(full + " has no @Target");
    }

    boolean isMet() {
      return (target.nanos() == 0 || nanos <= target.nanos())
          && (target.bytes() < 0 || bytes <= target.bytes() + NOISE_BYTES);
    }

    String text() {
      return String.format(
          Locale.ROOT,
          "%-44s %8.1f %8.1f %9s %8.1f %9s  %s",
          name,
          nanos,
          error,
          target.nanos() == 0 ? "" : "<= " + Math.round(target.nanos()),
          bytes,
          target.bytes() < 0 ? "" : "<= " + Math.round(target.bytes()),
          verdict());
    }

    private String verdict() {
      if (target.nanos() == 0 && target.bytes() < 0) {
        return ""; // nothing was asked of it
      }
      return isMet() ? "met" : "MISSED";
    }

    String json() {
      return String.format(
          Locale.ROOT,
          "{\"name\":\"%s\",\"ns_per_op\":%.2f,\"error\":%.2f,\"bytes_per_op\":%.2f,\"met\":%b}",
          name,
          nanos,
          Double.isNaN(error) ? 0 : error,
          bytes,
          isMet());
    }
  }

  /**
   * Runs the benchmarks whose names contain one of the words given, or all.
   *
   * @param args {@code --quick}, {@code --json}, words
   */
  public static void main(String[] args) throws RunnerException {
    List<String> words = new ArrayList<>(List.of(args));
    boolean quick = words.remove("--quick");
    boolean json = words.remove("--json");
    var options =
        new OptionsBuilder()
            .mode(Mode.AverageTime)
            .timeUnit(TimeUnit.NANOSECONDS)
            .addProfiler(GCProfiler.class)
            .verbosity(VerboseMode.SILENT)
            .shouldFailOnError(true)
            .forks(quick ? 1 : 3)
            .warmupIterations(quick ? 3 : 5)
            .warmupTime(TimeValue.milliseconds(quick ? 300 : 1000))
            .measurementIterations(5)
            .measurementTime(TimeValue.milliseconds(quick ? 300 : 1000));
    (words.isEmpty() ? List.of("io.outrigger.bench") : words).forEach(options::include);
    Collection<RunResult> results = new Runner(options.build()).run();
    List<Row> rows = results.stream().map(Row::of).sorted(Comparator.comparing(Row::name)).toList();
    if (json) {
      System.out.println(rows.stream().map(Row::json).collect(Collectors.joining(",", "[", "]")));
      return;
    }
    Object[] heads = {"benchmark", "ns/op", "+-", "target", "B/op", "target"};
    System.out.println(String.format("%-44s %8s %8s %9s %8s %9s", heads));
    rows.forEach(row -> System.out.println(row.text()));
  }
}

package io.outrigger.bench;

import static org.openjdk.jmh.runner.options.VerboseMode.SILENT;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs the benchmarks, each in processes of its own with this one's JVM options, and prints each
 * figure beside its target.
 */
public final class BenchMain {
  private static final String ALLOCATION = "gc.alloc.rate.norm";

  /** Bytes per operation that are the profiler's own. */
  private static final double NOISE_BYTES = 0.5;

  /** No benchmark begins later; the one that is under way adds some ten seconds. */
  private static final Duration SHORT = Duration.ofSeconds(75);

  private static final Duration LONG = Duration.ofMinutes(20);

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
          name(params),
          time.getScore(),
          time.getScoreError(),
          memory.getScore(),
          target(params.getBenchmark()));
    }

    private static String name(BenchmarkParams params) {
      String full = params.getBenchmark();
      String simple = full.substring(full.lastIndexOf('.', full.lastIndexOf('.') - 1) + 1);
      String values =
          params.getParamsKeys().stream().map(params::getParam).collect(Collectors.joining(", "));
      return simple.replace("Benchmark", "") + (values.isEmpty() ? "" : " (" + values + ")");
    }

    static Target target(String full) {
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
      if (!hasFigures(target)) {
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
   * Runs the benchmarks whose names contain one of the words given; without words, those with a
   * target. Those that have not begun by the end of the time are left out, and named.
   *
   * @param args {@code --long}, {@code --json}, {@code --seconds S}, words
   */
  public static void main(String[] args) throws RunnerException {
    List<String> words = new ArrayList<>(List.of(args));
    boolean thorough = words.remove("--long");
    boolean json = words.remove("--json");
    Duration time = thorough ? LONG : SHORT;
    int seconds = words.indexOf("--seconds");
    if (seconds >= 0) {
      time = Duration.ofSeconds(Long.parseLong(words.get(seconds + 1)));
      words.subList(seconds, seconds + 2).clear();
    }
    long end = System.nanoTime() + time.toNanos();
    List<Row> rows = new ArrayList<>();
    List<String> leftOut = new ArrayList<>();
    for (String benchmark : benchmarks(words)) {
      if (System.nanoTime() - end > 0) {
        leftOut.add(benchmark);
        continue;
      }
      if (!json) {
        System.err.println(benchmark);
      }
      new Runner(options(benchmark, thorough)).run().stream().map(Row::of).forEach(rows::add);
    }
    rows.sort(Comparator.comparing(Row::name));
    if (json) {
      System.out.println(rows.stream().map(Row::json).collect(Collectors.joining(",", "[", "]")));
    } else {
      Object[] heads = {"benchmark", "ns/op", "+-", "target", "B/op", "target"};
      System.out.println(String.format("%-44s %8s %8s %9s %8s %9s", heads));
      rows.forEach(row -> System.out.println(row.text()));
    }
    if (!leftOut.isEmpty()) {
      System.err.println(
          "not measured within " + time.toSeconds() + " s: " + String.join(", ", leftOut));
    }
  }

  /** The names of the benchmarks to run, in order: those that may miss a time come first. */
  private static List<String> benchmarks(List<String> words) {
    List<String> includes = words.isEmpty() ? List.of("io.outrigger.bench") : words;
    OutputFormat silence = OutputFormatFactory.createFormatInstance(System.err, SILENT);
    return BenchmarkList.defaultList().find(silence, includes, List.of()).stream()
        .map(BenchmarkListEntry::getUsername)
        .filter(name -> !words.isEmpty() || hasFigures(Row.target(name)))
        .distinct()
        .sorted(Comparator.comparing(name -> Row.target(name).nanos() == 0))
        .toList();
  }

  private static boolean hasFigures(Target target) {
    return target.nanos() > 0 || target.bytes() >= 0;
  }

  private static Options options(String benchmark, boolean thorough) {
    return new OptionsBuilder()
        .include("^" + Pattern.quote(benchmark) + "$")
        .mode(Mode.AverageTime)
        .timeUnit(TimeUnit.NANOSECONDS)
        .addProfiler(GCProfiler.class)
        .verbosity(SILENT)
        .shouldFailOnError(true)
        .forks(thorough ? 3 : 1)
        .warmupIterations(thorough ? 5 : 3)
        .warmupTime(TimeValue.milliseconds(thorough ? 1000 : 150))
        .measurementIterations(5)
        .measurementTime(TimeValue.milliseconds(thorough ? 1000 : 150))
        .build();
  }
}

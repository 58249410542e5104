package io.outrigger.program.cli;

import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.dataplane.memory.MemoryPlan;
import io.outrigger.program.app.LiveCheck;
import io.outrigger.program.cli.Entrypoints.LiveEntrypoint;
import io.outrigger.program.options.Machine;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.ProxyOptions.Logging;
import io.outrigger.program.options.StartFailure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;

/** Runs command lines against entrypoints that only write down what they were given. */
final class CommandLineFixture {
  /** What a demo was started with. */
  record DemoStart(Optional<Duration> duration, ListenAddress.Tcp admin) {}

  final Map<String, String> environment = new HashMap<>();
  final List<ProxyOptions> started = new ArrayList<>();
  final List<DemoStart> demos = new ArrayList<>();
  final List<Logging> logging = new ArrayList<>();
  final StringWriter out = new StringWriter();
  final StringWriter err = new StringWriter();

  /** Thrown by the program in place of a run. */
  Optional<StartFailure> startFailure = Optional.empty();

  /** Thrown by the program in place of a run. */
  Optional<RuntimeException> bug = Optional.empty();

  /** What goes on beside the reading of files. */
  Runnable preparation = () -> {};

  /** Whether the handlers of signals were installed, as the preparation sees it. */
  volatile boolean handlesSignals;

  /** What a live validation asks. */
  LiveEntrypoint live = LiveCheck::run;

  int exitCode;

  int run(String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Main.execute(context(), args);
  }

  /** The commands with their options, as picocli knows them. */
  CommandLine commandLine() {
    return OutriggerCommand.commandLine(context());
  }

  private CommandContext context() {
    return new CommandContext(
        entrypoints(),
        environment,
        new PrintWriter(out, true),
        new PrintWriter(err, true),
        new Machine(2, new MemoryPlan(1 << 30, 1 << 30)),
        logging::add,
        () -> {
          handlesSignals = true;
          return new Signals(System::nanoTime);
        });
  }

  private Entrypoints entrypoints() {
    return new Entrypoints(
        (options, signals) -> start(options),
        List.of(preparation),
        (duration, admin, story, signals) -> {
          demos.add(new DemoStart(duration, admin));
          story.println("once upon a time");
          return exitCode;
        },
        live);
  }

  private int start(ProxyOptions options) throws StartFailure {
    if (startFailure.isPresent()) {
      throw startFailure.get();
    }
    if (bug.isPresent()) {
      throw bug.get();
    }
    started.add(options);
    return exitCode;
  }

  /** What stderr got. */
  List<String> errorLines() {
    return err.toString().lines().toList();
  }

  List<String> outLines() {
    return out.toString().lines().toList();
  }
}

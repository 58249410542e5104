package io.outrigger.program.cli;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.dataplane.memory.MemoryPlan;
import io.outrigger.dataplane.memory.OutOfMemory;
import io.outrigger.http2.EventLoops;
import io.outrigger.program.app.LiveCheck;
import io.outrigger.program.app.ProxyApp;
import io.outrigger.program.demo.Demo;
import io.outrigger.program.options.Flag;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.StartFailure;
import io.outrigger.xds.decode.ResourceDecoder;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.Reporter;

/**
 * Runs one command line in this process and ends the process with the command's exit code.
 *
 * <p>The process ends by {@link Runtime#halt}, because a JVM that shuts down on a signal exits with
 * code 143, even after a complete drain. If a library calls {@code exit}, the shutdown hook begins
 * a drain, as the first SIGTERM does. The hook waits for the end of the command, and halts with the
 * command's exit code.
 */
@AnyThread
public final class Main {
  private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

  private Main() {}

  public static void main(String[] args) {
    new Thread(Main::openJar, "preparation").start();
    MemoryPlan memory = MemoryPlan.ofProcess();
    memory.limitBuffers();
    System.setProperty(LoggerFactory.PROVIDER_PROPERTY_KEY, LogSetup.Provider.class.getName());
    JulHandler.announce();
    // Keeps SLF4J from reporting its provider on every start.
    System.setProperty(Reporter.SLF4J_INTERNAL_VERBOSITY_KEY, "WARN");
    OutOfMemory.install(memory);
    start(
        new Entrypoints(
            Main::runSidecar,
            List.of(EventLoops::prepare, Main::prepareOthers),
            Main::runDemo,
            LiveCheck::run),
        args);
  }

  /**
   * Lets the JVM read the table of the program's jar, which has 13,000 entries. Otherwise, the
   * first search for an absent class reads the table, and other threads wait.
   */
  private static void openJar() {
    var unused = Main.class.getResource("Main.class");
  }

  /**
   * Prepares what {@link EventLoops#prepare}, which runs at the same time, leaves out. Both take
   * about as long.
   */
  private static void prepareOthers() {
    ResourceDecoder.prepare();
    EventLoops.prepareHandlers();
  }

  private static int runSidecar(ProxyOptions options, Signals signals)
      throws StartFailure, InvalidInput {
    try (var app = ProxyApp.start(options)) {
      signals.onFirst(app::quit);
      signals.onReopen(app::reopenAccessLog);
      app.awaitConfiguration();
      app.ended().join();
    }
    return 0;
  }

  private static int runDemo(
      Optional<Duration> duration, ListenAddress.Tcp admin, PrintWriter story, Signals signals)
      throws StartFailure, InvalidInput {
    signals.onHangUp(signals::arrived); // the demo ends when its terminal is closed
    return Demo.run(duration, admin, story, signals::onFirst);
  }

  public static void start(Entrypoints entrypoints, String... args) {
    new Main().run(entrypoints, args);
  }

  private void run(Entrypoints entrypoints, String... args) {
    CommandContext context = CommandContext.ofProcess(entrypoints, this::signals);
    exitCode.complete(execute(context, args));
    context.out().flush();
    context.err().flush();
    Runtime.getRuntime().halt(exitCode.join());
  }

  /**
   * Runs one command line and returns its exit code. Picocli is loaded only when {@link RunLine}
   * cannot read the command line.
   */
  static int execute(CommandContext context, String... args) {
    Optional<Map<Flag, List<String>>> plain = RunLine.read(args);
    return plain.isPresent()
        ? new SidecarRun(context).runAndReport(plain.get())
        : OutriggerCommand.commandLine(context).execute(args);
  }

  private Signals signals() {
    Signals signals = Signals.install();
    signals.onSecond(
        () -> {
          System.err.println("outrigger: second signal: ended with requests in progress");
          Runtime.getRuntime().halt(Failures.FAILED);
        });
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  signals.arrived();
                  Runtime.getRuntime().halt(exitCode.join());
                },
                "outrigger-shutdown"));
    return signals;
  }
}

package io.outrigger.program.cli;

import io.outrigger.program.options.Machine;
import io.outrigger.program.options.ProxyOptions.Logging;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The parts of the process that a command uses.
 *
 * @param signals installs Outrigger's signal handlers in place of the JVM's default handlers
 */
record CommandContext(
    Entrypoints programs,
    Map<String, String> environment,
    PrintWriter out,
    PrintWriter err,
    Machine machine,
    Consumer<Logging> logging,
    Supplier<Signals> signals) {
  CommandContext {
    environment = Map.copyOf(environment);
  }

  static CommandContext ofProcess(Entrypoints programs, Supplier<Signals> signals) {
    return new CommandContext(
        programs,
        System.getenv(),
        new PrintWriter(System.out, true, Charset.defaultCharset()),
        new PrintWriter(System.err, true, Charset.defaultCharset()),
        Machine.current(),
        LogSetup::apply,
        signals);
  }
}

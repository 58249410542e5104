package io.outrigger.program.cli;

import io.outrigger.program.options.InvalidInput;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A command that queries a running sidecar. */
@Command // subclasses inherit the option
abstract class AdminCommand implements Callable<Integer> {
  @Option(
      names = "--admin",
      paramLabel = "HOST:PORT",
      description = "the sidecar's admin server. Default: $OUTRIGGER_ADMIN, else 127.0.0.1:9901")
  private Optional<String> address = Optional.empty();

  final CommandContext context;

  AdminCommand(CommandContext context) {
    this.context = context;
  }

  final AdminClient client() throws InvalidInput {
    return AdminClient.of(address, context.environment());
  }
}

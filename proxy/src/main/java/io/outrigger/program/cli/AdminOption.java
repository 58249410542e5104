package io.outrigger.program.cli;

import io.outrigger.program.options.InvalidInput;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The option {@code --admin} of commands that query a running sidecar. */
@Command // the options of this class are part of another command
final class AdminOption {
  @Option(
      names = "--admin",
      paramLabel = "HOST:PORT",
      description = "its admin server. Default: $OUTRIGGER_ADMIN, else 127.0.0.1:9901")
  private Optional<String> address = Optional.empty();

  AdminClient client(Map<String, String> environment) throws InvalidInput {
    return AdminClient.of(address, environment);
  }
}

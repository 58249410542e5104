package io.outrigger.program.cli;

import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.StartFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code outrigger certs}: the certificate providers of a running sidecar. */
@Command(
    description =
        "Shows the certificates of a running sidecar: identities, their validity, trusted roots,"
            + " and why newer files are not in use.")
final class CertsCommand extends AdminCommand {
  @Option(names = "--json", description = "prints the response of the admin server as JSON")
  private boolean json;

  CertsCommand(CommandContext context) {
    super(context);
  }

  @Override
  public Integer call() throws InvalidInput, StartFailure {
    AdminClient client = client();
    client.lines(client.body("/certs"), json).forEach(context.out()::println);
    return Failures.OK;
  }
}

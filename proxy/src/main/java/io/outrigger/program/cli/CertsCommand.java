package io.outrigger.program.cli;

import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.StartFailure;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code outrigger certs}: the certificate providers of a running sidecar. */
@Command(
    description =
        "Shows the certificates of a running sidecar: its identities and their validity, the trusted"
            + " roots, and why the newest files are not in use.")
final class CertsCommand implements Callable<Integer> {
  @Mixin private final AdminOption admin = new AdminOption();

  @Option(names = "--json", description = "prints the response of the admin server as JSON")
  private boolean json;

  private final CommandContext context;

  CertsCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws InvalidInput, StartFailure {
    AdminClient client = admin.client(context.environment());
    client.lines(client.body("/certs"), json).forEach(context.out()::println);
    return Failures.OK;
  }
}

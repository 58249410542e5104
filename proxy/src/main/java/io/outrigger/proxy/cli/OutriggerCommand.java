package io.outrigger.proxy.cli;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program {@code outrigger} with its subcommands. */
@Command(
    name = "outrigger",
    description =
        "An xDS-aware sidecar proxy: treats each request as a proxyless gRPC client would.",
    mixinStandardHelpOptions = true,
    versionProvider = VersionText.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:after a clean drain",
      "1:a failure that is not the user's input, such as a port in use",
      "2:wrong flags, unreadable or invalid bootstrap or static resources"
    })
final class OutriggerCommand implements Runnable {
  @Spec private @Nullable CommandSpec spec;

  private OutriggerCommand() {}

  /** Runs one command line, whatever it is; the result is the exit code. */
  static int execute(Programs programs, CommandContext surroundings, String... args) {
    var sidecar = new SidecarRun(programs, surroundings);
    return commandLine(programs, sidecar, surroundings).execute(args);
  }

  private static CommandLine commandLine(
      Programs programs, SidecarRun sidecar, CommandContext surroundings) {
    CommandLine commandLine =
        new CommandLine(new OutriggerCommand())
            .addSubcommand("run", RunCommand.spec(sidecar))
            .addSubcommand("demo", new DemoCommand(programs.demo(), surroundings))
            .addSubcommand("validate", new ValidateCommand(programs, surroundings))
            .addSubcommand("explain", new ExplainCommand(surroundings))
            .addSubcommand("status", new StatusCommand(surroundings))
            .addSubcommand("certs", new CertsCommand(surroundings))
            .addSubcommand("wait", new WaitCommand(surroundings));
    for (CommandLine subcommand : commandLine.getSubcommands().values()) {
      subcommand
          .getCommandSpec()
          .addOption(
              OptionSpec.builder("-h", "--help")
                  .usageHelp(true)
                  .description("shows this help")
                  .build());
    }
    commandLine.setOut(surroundings.out()).setErr(surroundings.err());
    commandLine.setUsageHelpWidth(100).setUsageHelpAutoWidth(true);
    commandLine.setExpandAtFiles(false); // an @ belongs to --forward
    UsageErrors.handleIn(commandLine, surroundings.err());
    return commandLine;
  }

  @Override
  public void run() {
    CommandSpec self = Objects.requireNonNull(spec);
    throw new ParameterException(
        self.commandLine(),
        "no subcommand; give one of " + String.join(", ", self.subcommands().keySet()));
  }
}

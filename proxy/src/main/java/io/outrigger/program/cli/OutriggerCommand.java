package io.outrigger.program.cli;

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

  /** Runs any command line; returns the exit code. */
  static int execute(Entrypoints entrypoints, CommandContext context, String... args) {
    var sidecar = new SidecarRun(entrypoints, context);
    return commandLine(entrypoints, sidecar, context).execute(args);
  }

  private static CommandLine commandLine(
      Entrypoints entrypoints, SidecarRun sidecar, CommandContext context) {
    CommandLine commandLine =
        new CommandLine(new OutriggerCommand())
            .addSubcommand("run", RunCommand.spec(sidecar))
            .addSubcommand("demo", new DemoCommand(entrypoints.demo(), context))
            .addSubcommand("validate", new ValidateCommand(entrypoints, context))
            .addSubcommand("explain", new ExplainCommand(context))
            .addSubcommand("status", new StatusCommand(context))
            .addSubcommand("certs", new CertsCommand(context))
            .addSubcommand("wait", new WaitCommand(context));
    for (CommandLine subcommand : commandLine.getSubcommands().values()) {
      subcommand
          .getCommandSpec()
          .addOption(
              OptionSpec.builder("-h", "--help")
                  .usageHelp(true)
                  .description("shows this help")
                  .build());
    }
    commandLine.setOut(context.out()).setErr(context.err());
    commandLine.setUsageHelpWidth(100).setUsageHelpAutoWidth(true);
    commandLine.setExpandAtFiles(false); // {@code @} is part of --forward
    UsageErrors.handleIn(commandLine, context.err());
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

package io.outrigger.program.cli;

import io.outrigger.base.DidYouMean;
import io.outrigger.program.options.ProgramVersion;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The program {@code outrigger} with its subcommands. */
@Command(
    name = "outrigger",
    description =
        "An xDS-aware sidecar proxy that handles each request as a proxyless gRPC client would.",
    mixinStandardHelpOptions = true,
    versionProvider = OutriggerCommand.VersionText.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:after a clean drain",
      "1:a failure that is not the user's input, such as a port in use",
      "2:wrong flags, unreadable or invalid bootstrap or static resources"
    })
final class OutriggerCommand implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(OutriggerCommand.class);

  @Spec private @Nullable CommandSpec spec;

  private OutriggerCommand() {}

  static CommandLine commandLine(CommandContext context) {
    CommandLine help = new CommandLine(new HelpCommand());
    CommandLine commandLine =
        new CommandLine(new OutriggerCommand())
            .addSubcommand("run", RunCommand.spec(context))
            .addSubcommand("demo", new DemoCommand(context))
            .addSubcommand("validate", new ValidateCommand(context))
            .addSubcommand("explain", new ExplainCommand(context))
            .addSubcommand("status", new StatusCommand(context))
            .addSubcommand("certs", new CertsCommand(context))
            .addSubcommand("wait", new WaitCommand(context))
            .addSubcommand("completion", new CompletionCommand(context))
            .addSubcommand("help", help);
    help.getCommandSpec()
        .usageMessage()
        .header(new String[0])
        .synopsisHeading("Usage: ")
        .description("Shows the help of a command.")
        .footer(new String[0]);
    HelpText.install(commandLine, Map.of());
    for (CommandLine subcommand : commandLine.getSubcommands().values()) {
      HelpText.install(
          subcommand,
          subcommand.getCommand() instanceof RunCommand ? RunCommand.HEADINGS : Map.of());
      if (!(subcommand.getCommand() instanceof HelpCommand)) {
        subcommand
            .getCommandSpec()
            .addOption(
                OptionSpec.builder("-h", "--help")
                    .usageHelp(true)
                    .description("shows this help")
                    .build());
      }
    }
    commandLine.setOut(context.out()).setErr(context.err());
    commandLine.setUsageHelpWidth(100).setUsageHelpAutoWidth(true);
    commandLine.setExpandAtFiles(false); // values of --forward contain @
    commandLine.setParameterExceptionHandler((e, line) -> onBadUsage(e, context.err()));
    commandLine.setExecutionExceptionHandler(
        (e, command, parsed) -> Failures.report(e, context.err()));
    return commandLine;
  }

  private static int onBadUsage(ParameterException e, PrintWriter err) {
    log.debug("command line refused", e);
    String help = e.getCommandLine().getCommandSpec().qualifiedName() + " --help";
    Failures.line(err, reason(e) + "; see " + help);
    return Failures.BAD_INPUT;
  }

  private static String reason(ParameterException e) {
    CommandLine command = e.getCommandLine();
    if (e instanceof UnmatchedArgumentException unmatched) {
      String given = unmatched.getUnmatched().get(0);
      if (unmatched.isUnknownOption()) {
        String name = given.replaceFirst("=.*", "");
        List<String> known =
            command.getCommandSpec().options().stream().map(OptionSpec::longestName).toList();
        String likely = DidYouMean.question(name, known);
        boolean isEarly = likely.isEmpty() && command.getParent() == null;
        return "unknown option " + name + (isEarly ? "; write a subcommand before it" : likely);
      }
      return command.getParent() == null
          ? notASubcommand(given, command)
          : "\"" + given + "\" is one argument too many";
    }
    if (e instanceof MissingParameterException missing) {
      ArgSpec first = missing.getMissing().get(0);
      return first instanceof OptionSpec option
          ? "%1$s needs a value; write it as %1$s=%2$s"
              .formatted(option.longestName(), option.paramLabel())
          : "give one of " + first.paramLabel().replace("|", ", ");
    }
    if (command.getParent() == null && e.getValue() != null && e.getArgSpec() == null) {
      return notASubcommand(e.getValue(), command); // the line is "outrigger help NAME"
    }
    String text = Failures.oneLine(e).replaceFirst("[.]$", "");
    return text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
  }

  private static String notASubcommand(String given, CommandLine root) {
    Set<String> names = root.getSubcommands().keySet();
    return "\"%s\" is not a subcommand%s; give one of %s"
        .formatted(given, DidYouMean.question(given, names), String.join(", ", names));
  }

  @Override
  public void run() {
    CommandSpec self = Objects.requireNonNull(spec);
    throw new ParameterException(
        self.commandLine(),
        "no subcommand; give one of " + String.join(", ", self.subcommands().keySet()));
  }

  static final class VersionText implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {
        "outrigger %s, commit %s, Java %s"
            .formatted(ProgramVersion.text(), ProgramVersion.commit(), Runtime.version())
      };
    }
  }
}

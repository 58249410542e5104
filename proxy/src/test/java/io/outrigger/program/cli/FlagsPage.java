package io.outrigger.program.cli;

import io.outrigger.program.options.Flag;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Writes the page of commands and flags from the definitions that the program itself uses. */
final class FlagsPage {
  private static final String HEAD =
      """
      # Commands and flags

      <!-- Generated: PagesTest writes this page with -Doutrigger.pages.write=true. -->

      `outrigger COMMAND --help` prints the same texts.
      %s
      Each flag of `run` has an environment variable with the prefix `OUTRIGGER_`, such as `OUTRIGGER_DRAIN_DELAY` for
      `--drain-delay`; commas separate the values of a list. Each flag is also a key of the YAML file that `--config`
      names. A flag overrides the variable, and the variable overrides the file. Durations are written `500ms`, `30s`,
      `5m` or `1h`, sizes `64KiB` or `256MiB`.

      """;

  private FlagsPage() {}

  static String text(CommandLine outrigger) {
    Map<String, CommandLine> commands = outrigger.getSubcommands();
    var page = new StringBuilder(HEAD.formatted(exitCodes(outrigger.getCommandSpec())));
    page.append("## run\n");
    for (Flag flag : Flag.values()) {
      String heading = RunCommand.HEADINGS.get(flag.option());
      if (heading != null) {
        page.append("\n### " + heading + "\n\n| flag | meaning |\n| --- | --- |\n");
      }
      page.append(
          row(
              flag.option() + (flag.arity() == Flag.Arity.SWITCH ? "" : " " + flag.label()),
              flag.help()));
    }
    commands.forEach(
        (name, command) -> {
          if (!name.equals("run")) {
            append(page, name, command.getCommandSpec());
          }
        });
    return page.toString();
  }

  private static String exitCodes(CommandSpec outrigger) {
    return "\n| exit code | after |\n| --- | --- |\n"
        + outrigger.usageMessage().exitCodeList().entrySet().stream()
            .map(code -> row(code.getKey(), code.getValue()))
            .collect(Collectors.joining());
  }

  private static void append(StringBuilder page, String name, CommandSpec command) {
    page.append("\n## " + name + "\n\n");
    page.append(String.join(" ", command.usageMessage().description()) + "\n\n");
    if (!options(command).isEmpty()) {
      page.append("| flag | meaning |\n| --- | --- |\n");
    }
    for (OptionSpec option : options(command)) {
      String label = option.arity().max() == 0 ? "" : " " + option.paramLabel();
      page.append(row(option.longestName() + label, String.join(" ", option.description())));
    }
  }

  private static List<OptionSpec> options(CommandSpec command) {
    return command.options().stream().filter(option -> !option.usageHelp()).toList();
  }

  /** Cells may hold {@code |}, which ends a cell of a table unless it is escaped. */
  private static String row(String first, String second) {
    return "| `%s` | %s |%n"
        .formatted(first.replace("|", "\\|"), second.replace("|", "\\|").replace("*", "\\*"));
  }
}

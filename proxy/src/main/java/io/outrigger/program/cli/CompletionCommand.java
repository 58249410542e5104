package io.outrigger.program.cli;

import io.outrigger.program.options.InvalidInput;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code outrigger completion}: the completion script of a shell. */
@Command(
    description = {
      "Prints a completion script. In bash and zsh: source <(outrigger completion bash); in fish:"
          + " outrigger completion fish | source."
    })
final class CompletionCommand implements Callable<Integer> {
  /** The line in picocli's script that turns off file completion, even for {@code --bootstrap}. */
  private static final String NO_FILES = "  type compopt &>/dev/null && compopt +o default\n";

  /** Lets picocli complete {@code --flag=value}, which bash splits into three words. */
  private static final String VALUES =
      """
      if [ -n "$BASH_VERSION" ]; then
        _outrigger() {
          [[ ${COMP_WORDS[COMP_CWORD]} != = ]] || COMP_WORDS[COMP_CWORD]=
          [[ ${COMP_WORDS[COMP_CWORD-1]} != = ]] || COMP_WORDS[COMP_CWORD-1]=${COMP_WORDS[COMP_CWORD-2]}
          _complete_outrigger
        }
        complete -F _outrigger -o default outrigger
      else
        _outrigger() {
          ! compset -P 1 '--*=' || { words[CURRENT]=("${IPREFIX%=}" "$PREFIX"); (( CURRENT++ )); }
          _bash_complete -o default -F _complete_outrigger
        }
        compdef _outrigger outrigger
      fi
      """;

  private static final String NO_COMMAND = "not __fish_seen_subcommand_from ";

  static final class Shells extends ArrayList<String> {
    Shells() {
      super(List.of("bash", "zsh", "fish"));
    }
  }

  @Parameters(
      paramLabel = "bash|zsh|fish",
      completionCandidates = Shells.class,
      description = "the shell")
  private String shell = "";

  @Spec private CommandSpec spec = CommandSpec.create();

  private final CommandContext context;

  CompletionCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws InvalidInput {
    CommandLine root = spec.parent().commandLine();
    switch (shell) {
      case "bash", "zsh" ->
          context.out().print(AutoComplete.bash("outrigger", root).replace(NO_FILES, "") + VALUES);
      case "fish" -> fish(root).forEach(context.out()::println);
      default -> throw new InvalidInput("completion: \"" + shell + "\" is none of bash, zsh, fish");
    }
    return Failures.OK;
  }

  private static List<String> fish(CommandLine root) {
    Map<String, CommandLine> commands = root.getSubcommands();
    String first = NO_COMMAND + String.join(" ", commands.keySet());
    List<String> lines = new ArrayList<>();
    root.getCommandSpec().options().forEach(option -> lines.add(line(first, option)));
    commands.forEach(
        (name, command) -> {
          CommandSpec each = command.getCommandSpec();
          String text = String.join(" ", each.usageMessage().description());
          String seen = "__fish_seen_subcommand_from " + name;
          lines.add(line(first, "-f -a " + name, text));
          if (!each.positionalParameters().isEmpty()) {
            Iterable<String> words = name.equals("help") ? commands.keySet() : new Shells();
            lines.add(line(seen, "-f -a '" + String.join(" ", words) + "'", ""));
          }
          each.options().forEach(option -> lines.add(line(seen, option)));
        });
    return lines;
  }

  /** Whether a parameter's label lists all values of the parameter, such as {@code text|json}. */
  static boolean isOfWords(String label) {
    return label.matches("[a-z0-9_-]+([|][a-z0-9_-]+)+");
  }

  /** Returns how fish completes the value of an option: by words, by file names, or not at all. */
  private static String value(OptionSpec option) {
    String label = option.paramLabel();
    if (option.arity().max() == 0) {
      return "";
    }
    if (isOfWords(label)) {
      return " -x -a '" + label.replace('|', ' ') + "'";
    }
    return label.matches("PATH|DIR|.*FILE.*") ? " -r -F" : " -x";
  }

  private static String line(String condition, OptionSpec option) {
    String flag = "-l " + option.longestName().substring(2) + value(option);
    return line(condition, flag, String.join(" ", option.description()));
  }

  private static String line(String condition, String what, String description) {
    String shortened = description.split("[.;](\\s|$)", 2)[0].replace("'", "\\'");
    return "complete -c outrigger -n '" + condition + "' " + what + " -d '" + shortened + "'";
  }
}

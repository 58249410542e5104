package io.outrigger.program.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The sections of {@code --help}. Lines break only between words, whereas picocli would also break
 * words such as {@code xds:///orders}.
 */
final class HelpText {
  private static final String MARGIN = "  ";
  private static final int OPTION_TEXT = 30;
  private static final int COMMAND_TEXT = 14;

  private HelpText() {}

  /**
   * Sets the sections of a command.
   *
   * @param headings maps the first option of each group of options to the heading of the group
   */
  static void install(CommandLine command, Map<String, String> headings) {
    Map<String, CommandLine.IHelpSectionRenderer> sections = command.getHelpSectionMap();
    sections.put(UsageMessageSpec.SECTION_KEY_SYNOPSIS, HelpText::synopsis);
    sections.put(UsageMessageSpec.SECTION_KEY_DESCRIPTION, HelpText::description);
    sections.put(UsageMessageSpec.SECTION_KEY_PARAMETER_LIST, HelpText::parameters);
    sections.put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, help -> options(help, headings));
    sections.put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, HelpText::commands);
  }

  private static String synopsis(Help help) {
    String[] custom = help.commandSpec().usageMessage().customSynopsis();
    return custom.length == 0
        ? help.synopsis(help.synopsisHeadingLength())
        : String.join("", wrapped(String.join(" ", custom), help, "Usage: ".length()))
            .stripLeading();
  }

  private static String description(Help help) {
    return Arrays.stream(help.commandSpec().usageMessage().description())
        .map(paragraph -> String.join("", wrapped(paragraph, help, 0)))
        .collect(Collectors.joining());
  }

  private static String parameters(Help help) {
    return help.commandSpec().positionalParameters().stream()
        .map(each -> entry(each.paramLabel(), each.description(), help, OPTION_TEXT))
        .collect(Collectors.joining());
  }

  private static String options(Help help, Map<String, String> headings) {
    var text = new StringBuilder();
    for (OptionSpec option : help.commandSpec().options()) {
      String heading = headings.get(option.longestName());
      if (heading != null) {
        text.append(System.lineSeparator()).append(heading).append(System.lineSeparator());
      }
      text.append(entry(usage(option), option.description(), help, OPTION_TEXT));
    }
    return text.toString();
  }

  /** Returns the names of an option with its value, such as {@code --admin=HOST:PORT}. */
  private static String usage(OptionSpec option) {
    String names = String.join(", ", option.names());
    if (option.arity().max() == 0) {
      return names;
    }
    return option.arity().min() == 0
        ? names + "[=" + option.paramLabel() + "]"
        : names + "=" + option.paramLabel();
  }

  private static String commands(Help help) {
    var text = new StringBuilder();
    help.commandSpec()
        .subcommands()
        .forEach(
            (name, command) -> {
              String[] lines = command.getCommandSpec().usageMessage().description();
              text.append(entry(name, Arrays.copyOf(lines, 1), help, COMMAND_TEXT));
            });
    return text.toString();
  }

  private static String entry(String name, String[] description, Help help, int column) {
    String start = MARGIN + name;
    List<String> lines = wrapped(String.join(" ", description), help, column);
    if (start.length() + MARGIN.length() > column) {
      return start + System.lineSeparator() + String.join("", lines);
    }
    String first = lines.isEmpty() ? System.lineSeparator() : lines.get(0).stripLeading();
    lines = lines.isEmpty() ? lines : lines.subList(1, lines.size());
    return start + " ".repeat(column - start.length()) + first + String.join("", lines);
  }

  /** Breaks a text between words into lines with the given indentation. */
  private static List<String> wrapped(String text, Help help, int indent) {
    int width = help.commandSpec().usageMessage().width();
    List<String> lines = new ArrayList<>();
    var line = new StringBuilder();
    for (String word : text.replace("%%", "%").split(" ", -1)) {
      if (!line.isEmpty() && indent + line.length() + 1 + word.length() > width) {
        lines.add(" ".repeat(indent) + line + System.lineSeparator());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    if (!line.isEmpty()) {
      lines.add(" ".repeat(indent) + line + System.lineSeparator());
    }
    return lines;
  }
}

package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * The manual page of the distribution has what {@code --help} says. With {@code
 * -Doutrigger.manual.write=true} the test writes the page.
 */
final class ManualPageTest {
  private static final Path PAGE = Path.of("src/main/dist/share/man/man1/outrigger.1");
  private static final String SYNOPSIS = "Usage: ";
  private static final List<String> COMMANDS =
      List.of("run", "demo", "validate", "explain", "status", "certs", "wait", "completion");

  @Test
  void theManualPageSaysWhatHelpSays() throws IOException {
    String page = page();
    if (Boolean.getBoolean("outrigger.manual.write")) {
      Files.createDirectories(PAGE.getParent());
      Files.writeString(PAGE, page);
    }

    assertThat(Files.readString(PAGE))
        .as("write it anew with -Doutrigger.manual.write=true")
        .isEqualTo(page);
  }

  private static String page() {
    var page = new StringBuilder();
    page.append(".TH OUTRIGGER 1\n.SH NAME\noutrigger \\- an xDS\\-aware sidecar proxy\n");
    section(page, "SYNOPSIS", synopses());
    section(page, "DESCRIPTION", withoutSynopsis(help("")));
    for (String command : COMMANDS) {
      section(page, "outrigger " + command, withoutSynopsis(help(command)));
    }
    return page.toString();
  }

  private static List<String> synopses() {
    return Stream.concat(Stream.of(help("")), COMMANDS.stream().map(command -> help(command)))
        .flatMap(help -> help.stream().takeWhile(ManualPageTest::isSynopsis))
        .map(
            line ->
                line.startsWith(SYNOPSIS)
                    ? line.substring(SYNOPSIS.length())
                    : "    " + line.strip())
        .toList();
  }

  private static List<String> withoutSynopsis(List<String> help) {
    return help.stream().dropWhile(ManualPageTest::isSynopsis).toList();
  }

  /** Whether a line is the first of {@code --help}, or an indented line after it. */
  private static boolean isSynopsis(String line) {
    return line.startsWith(SYNOPSIS) || line.startsWith(" ".repeat(SYNOPSIS.length()));
  }

  /** Returns the help of a command, or of the program; man indents its lines by 7 of 80 columns. */
  private static List<String> help(String command) {
    CommandLine program =
        new CommandLineFixture().commandLine().setUsageHelpWidth(73).setUsageHelpAutoWidth(false);
    CommandLine chosen = command.isEmpty() ? program : program.getSubcommands().get(command);
    return chosen.getUsageMessage().lines().toList();
  }

  private static void section(StringBuilder page, String heading, List<String> lines) {
    page.append(".SH ").append(heading).append("\n.nf\n");
    for (String line : lines) {
      String escaped = line.replace("\\", "\\e").replace("-", "\\-");
      page.append(line.startsWith(".") || line.startsWith("'") ? "\\&" : "")
          .append(escaped)
          .append('\n');
    }
    page.append(".fi\n");
  }
}

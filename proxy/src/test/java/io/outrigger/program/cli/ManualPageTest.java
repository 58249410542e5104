package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The manual page of the distribution has what {@code --help} says. With {@code
 * -Doutrigger.manual.write=true} the test writes the page.
 */
final class ManualPageTest {
  private static final Path PAGE = Path.of("src/main/dist/share/man/man1/outrigger.1");
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
    section(page, "SYNOPSIS", "--help");
    for (String command : COMMANDS) {
      section(page, "OUTRIGGER " + command, command, "--help");
    }
    return page.toString();
  }

  private static void section(StringBuilder page, String heading, String... args) {
    var outrigger = new CommandLineFixture();
    assertThat(outrigger.run(args)).isZero();
    page.append(".SH ").append(heading).append("\n.nf\n");
    for (String line : outrigger.outLines()) {
      String escaped = line.replace("\\", "\\e").replace("-", "\\-");
      page.append(line.startsWith(".") || line.startsWith("'") ? "\\&" : "")
          .append(escaped)
          .append('\n');
    }
    page.append(".fi\n");
  }
}

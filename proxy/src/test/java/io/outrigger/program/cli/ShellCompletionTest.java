package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The completion scripts in the shells themselves, where those are installed. */
@Timeout(60)
final class ShellCompletionTest {
  /** By shell: a program that completes the line $2 after it has read the script $1. */
  private static final Map<String, String> PROGRAMS =
      Map.of(
          "bash",
          """
          source "$1"
          COMP_LINE=$2 COMP_WORDS=(${2//=/ = })
          [[ $2 != *' ' ]] || COMP_WORDS+=('')
          COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
          _outrigger
          printf '%s\\n' "${COMPREPLY[@]}"
          [[ $(complete -p outrigger) != *'-o default'* ]] || [ ${#COMPREPLY[@]} != 0 ] || ls
          """,
          "fish",
          "source $argv[1]; complete --do-complete $argv[2]",
          // zsh completes only what is typed on a terminal. Quotes keep READY and END out of the
          // echo.
          "zsh",
          """
          zmodload zsh/zpty
          zpty shell zsh -f -i
          zpty -w shell "setopt no_auto_menu; unsetopt prompt_sp; source $1; PS1='RE''ADY'"
          zpty -r -m shell out '*READY*'
          zpty -w -n shell "$2"$'\\t\\t\\C-u'"print E''ND"$'\\n'
          zpty -r -m shell out '*END*'
          print -r -- "$out"
          """);

  private final CommandLineFixture outrigger = new CommandLineFixture();
  @TempDir private Path folder;

  @BeforeEach
  void writeAFile() throws IOException {
    Files.createFile(folder.resolve("some.json"));
  }

  @ParameterizedTest
  @CsvSource({
    "bash, 'outrigger va', validate",
    "bash, 'outrigger --v', --version",
    "bash, 'outrigger run --trans', --transport",
    "bash, 'outrigger run --transport ', epoll",
    "bash, 'outrigger run --metric-locality ', false",
    "bash, 'outrigger run --metric-locality=', false",
    "bash, 'outrigger run --transport=ep', epoll",
    "bash, 'outrigger run --state=so', some.json",
    "bash, 'outrigger run --state ', some.json",
    "bash, 'outrigger help st', status",
    "zsh, 'outrigger va', validate",
    "zsh, 'outrigger --v', --version",
    "zsh, 'outrigger run --trans', --transport",
    "zsh, 'outrigger run --transport ', epoll",
    "zsh, 'outrigger run --metric-locality ', false",
    "zsh, 'outrigger run --metric-locality=', false",
    "zsh, 'outrigger run --transport=ep', epoll",
    "zsh, 'outrigger run --state=so', some.json",
    "zsh, 'outrigger run --state ', some.json",
    "zsh, 'outrigger help st', status",
    "fish, 'outrigger va', validate",
    "fish, 'outrigger --v', --version",
    "fish, 'outrigger run --trans', --transport",
    "fish, 'outrigger run --transport ', epoll",
    "fish, 'outrigger run --metric-locality ', false",
    "fish, 'outrigger run --metric-locality=', false",
    "fish, 'outrigger run --transport=ep', epoll",
    "fish, 'outrigger run --state=so', some.json",
    "fish, 'outrigger run --state ', some.json",
    "fish, 'outrigger help st', status",
  })
  void theShellCompletes(String shell, String line, String completed) throws Exception {
    Path program = Path.of("/usr/bin", shell);
    assumeTrue(Files.isExecutable(program), program + " is not installed");
    assertThat(outrigger.run("completion", shell)).isZero();
    Path script = Files.writeString(folder.resolve("completion"), outrigger.out.toString());
    Path player = Files.writeString(folder.resolve("player"), PROGRAMS.get(shell));

    Process played =
        new ProcessBuilder(program.toString(), player.toString(), script.toString(), line)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(played.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(output).contains(completed);
  }
}

package io.outrigger.program.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DemoFilesTest {
  /** The limit of Linux, less the largest name of a temporary folder. */
  private static final int MAX_FOLDER = 4095 - "/outrigger-demo".length() - 20;

  @TempDir Path parent;

  @Test
  void closeLeavesNothing() throws IOException {
    var files = new DemoFiles(parent);
    files.writeBootstrap("{}");

    files.close();

    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void aFolderThatDoesNotExistComesWithARemedy() {
    Path absent = parent.resolve("absent");

    assertThatThrownBy(() -> new DemoFiles(absent))
        .hasMessage(
            "cannot write to %s: it does not exist; make the folder writable, or name"
                    .formatted(absent)
                + " another in JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=FOLDER");
  }

  /** The folder's path has the greatest possible length, so its files have none. */
  @Test
  void aFailedWriteLeavesNothing() throws IOException {
    Path deep = parent;
    while (deep.toString().length() < MAX_FOLDER) {
      int missing = MAX_FOLDER - deep.toString().length() - 1;
      deep = deep.resolve("d".repeat(missing < 200 ? missing : missing < 400 ? 100 : 200));
    }
    Path folder = Files.createDirectories(deep);

    assertThatThrownBy(() -> new DemoFiles(folder)).hasMessageContaining(": File name too long; ");

    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aFileInThePlaceOfTheFolderIsNamed() throws IOException {
    Path file = Files.createFile(parent.resolve("file"));

    assertThatThrownBy(() -> new DemoFiles(file))
        .hasMessageStartingWith("cannot write to %s: Not a directory; ".formatted(file));
  }
}

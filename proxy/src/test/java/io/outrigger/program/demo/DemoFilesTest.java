package io.outrigger.program.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DemoFilesTest {
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
            "cannot write to %s: the folder does not exist; make the folder writable, or name"
                    .formatted(absent)
                + " another in JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=FOLDER");
  }

  @Test
  void aFileInThePlaceOfTheFolderIsNamed() throws IOException {
    Path file = Files.createFile(parent.resolve("file"));

    assertThatThrownBy(() -> new DemoFiles(file))
        .hasMessageStartingWith("cannot write to %s: Not a directory; ".formatted(file));
  }
}

package io.outrigger.observe.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class AppendedFileTest {
  @TempDir private Path folder;

  @Test
  void aRenamedFileIsLeftWhenAsked() throws IOException {
    Path path = folder.resolve("access.log");
    Path old = folder.resolve("access.log.1");
    try (var file = new AppendedFile(path)) {
      write(file, "one ");
      Files.move(path, old);
      write(file, "two ");
      file.reopen();
      write(file, "three ");
      write(file, "four ");
    }

    assertThat(old).hasContent("one two ");
    assertThat(path).hasContent("three four ");
  }

  @Test
  void aFileThatARotationHasMadeAnewIsAppendedTo() throws IOException {
    Path path = folder.resolve("access.log");
    try (var file = new AppendedFile(path)) {
      write(file, "one ");
      Files.delete(path);
      Files.writeString(path, "made ");
      file.reopen();
      write(file, "two ");
    }

    assertThat(path).hasContent("made two ");
  }

  @Test
  void aFileThatIsTruncatedIsContinued() throws IOException {
    Path path = folder.resolve("access.log");
    try (var file = new AppendedFile(path)) {
      write(file, "one ");
      Files.writeString(path, ""); // as by copytruncate
      write(file, "two ");
    }

    assertThat(path).hasContent("two ");
  }

  @Test
  @Timeout(60)
  void aPipeThatNobodyReadsDoesNotDelayTheStart() throws Exception {
    Path path = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor()).isZero();

    CompletableFuture<String> read;
    try (var pipe = new AppendedFile(path)) {
      read =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return Files.readString(path);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      write(pipe, "one ");
    }
    assertThat(read.get()).isEqualTo("one ");
  }

  @Test
  void whatCannotBeMadeAgainFailsUntilItCan() throws IOException {
    Path inner = Files.createDirectory(folder.resolve("logs"));
    Path path = inner.resolve("access.log");
    try (var file = new AppendedFile(path)) {
      write(file, "one ");
      Files.delete(path);
      Files.delete(inner);
      file.reopen();
      assertThatThrownBy(() -> write(file, "lost ")).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> write(file, "lost ")).isInstanceOf(IOException.class);

      Files.createDirectory(inner);
      write(file, "back ");
    }

    assertThat(path).hasContent("back ");
  }

  private static void write(AppendedFile file, String text) throws IOException {
    file.write(text.getBytes(StandardCharsets.US_ASCII));
    file.flush();
  }
}

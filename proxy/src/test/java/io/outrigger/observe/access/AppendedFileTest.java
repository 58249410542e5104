package io.outrigger.observe.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AppendedFileTest {
  @TempDir private Path folder;
  private Instant now = Instant.EPOCH;

  @Test
  void aRenamedFileIsLeftAndItsNameTakenAgain() throws IOException {
    Path path = folder.resolve("access.log");
    Path old = folder.resolve("access.log.1");
    try (var file = file(path)) {
      write(file, "one ");
      Files.move(path, old);
      write(file, "two ");
      assertThat(old).as("within the second").hasContent("one two ");

      now = now.plus(AppendedFile.CHECK_PERIOD);
      write(file, "three ");
      write(file, "four ");
    }

    assertThat(old).hasContent("one two ");
    assertThat(path).hasContent("three four ");
  }

  @Test
  void itIsOpenedAnewAtOnceWhenAsked() throws IOException {
    Path path = folder.resolve("access.log");
    Path old = folder.resolve("access.log.1");
    try (var file = file(path)) {
      write(file, "one ");
      Files.move(path, old);
      file.reopen();
      write(file, "two ");
    }

    assertThat(old).hasContent("one ");
    assertThat(path).hasContent("two ");
  }

  @Test
  void aFileThatARotationHasMadeAnewIsAppendedTo() throws IOException {
    Path path = folder.resolve("access.log");
    try (var file = file(path)) {
      write(file, "one ");
      Files.delete(path);
      Files.writeString(path, "made ");

      now = now.plus(AppendedFile.CHECK_PERIOD);
      write(file, "two ");
    }

    assertThat(path).hasContent("made two ");
  }

  @Test
  void aFileThatStaysIsNotOpenedAnew() throws IOException {
    Path path = folder.resolve("access.log");
    try (var file = file(path)) {
      write(file, "one ");
      Files.writeString(path, ""); // truncated, as by copytruncate
      now = now.plus(AppendedFile.CHECK_PERIOD);
      write(file, "two ");
    }

    assertThat(path).hasContent("two ");
  }

  @Test
  void whatCannotBeMadeAgainFailsUntilItCan() throws IOException {
    Path inner = Files.createDirectory(folder.resolve("logs"));
    Path path = inner.resolve("access.log");
    try (var file = file(path)) {
      write(file, "one ");
      Files.delete(path);
      Files.delete(inner);
      now = now.plus(AppendedFile.CHECK_PERIOD);
      assertThatThrownBy(() -> write(file, "lost ")).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> write(file, "lost ")).isInstanceOf(IOException.class);

      Files.createDirectory(inner);
      write(file, "back ");
    }

    assertThat(path).hasContent("back ");
  }

  private AppendedFile file(Path path) throws IOException {
    return new AppendedFile(path, new Settable());
  }

  private static void write(AppendedFile file, String text) throws IOException {
    file.write(text.getBytes(StandardCharsets.US_ASCII));
    file.flush();
  }

  private final class Settable extends Clock {
    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException("it is UTC");
    }

    @Override
    public Instant instant() {
      return now;
    }
  }
}

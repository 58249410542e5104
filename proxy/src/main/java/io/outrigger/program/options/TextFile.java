package io.outrigger.program.options;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** Reads small text files, and gives short reasons for failures. */
final class TextFile {
  private static final int MAX_BYTES = 4 << 20;

  /**
   * The pipes of a shell, such as {@code /dev/fd/63} and {@code /proc/self/fd/11}, have a writer.
   */
  private static final List<Path> PIPES = List.of(Path.of("/dev"), Path.of("/proc/self/fd"));

  private TextFile() {}

  static String read(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new IOException("it is a folder");
    }
    if (Files.exists(file)
        && !Files.isRegularFile(file)
        && PIPES.stream().noneMatch(file::startsWith)) {
      throw new IOException("it is no regular file"); // a pipe blocks until it has a writer
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] content = in.readNBytes(MAX_BYTES + 1);
      if (content.length > MAX_BYTES) {
        throw new IOException("it is larger than " + (MAX_BYTES >> 20) + " MiB");
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    }
  }

  static String reason(IOException failure) {
    if (failure instanceof NoSuchFileException) {
      return "no such file";
    }
    if (failure instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (failure instanceof CharacterCodingException) {
      return "it is not UTF-8 text";
    }
    return String.valueOf(failure.getMessage()).lines().findFirst().orElse("unknown reason");
  }
}

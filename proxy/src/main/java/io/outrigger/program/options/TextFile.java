package io.outrigger.program.options;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads small text files, and gives short reasons for failures. */
final class TextFile {
  private TextFile() {}

  static String read(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new IOException("it is a folder");
    }
    return Files.readString(file);
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

package io.outrigger.xds.certificate;

import io.outrigger.base.PlainText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A file that a field of the bootstrap names, as it was read.
 *
 * @param field such as {@code certificate_file}
 * @param path as the bootstrap has it
 * @param text one character for each byte
 */
public record CredentialFile(String field, String path, String text) {
  /** No honest set of certificates is larger; whatever is has been named by mistake. */
  static final int MAX_BYTES = 1 << 20;

  /** Reads a file that is there, regular and not too large. Blocks. */
  public static CredentialFile read(String field, String path) throws UnusableFile {
    try {
      Path file = Path.of(path);
      if (Files.isDirectory(file)) {
        throw new UnusableFile(field, path, "is a folder");
      }
      if (Files.exists(file) && !Files.isRegularFile(file)) { // a pipe may block for ever
        throw new UnusableFile(field, path, "is no regular file");
      }
      try (InputStream in = Files.newInputStream(file)) {
        byte[] content = in.readNBytes(MAX_BYTES + 1);
        if (content.length > MAX_BYTES) {
          throw new UnusableFile(field, path, "is larger than 1 MiB");
        }
        return new CredentialFile(field, path, new String(content, StandardCharsets.ISO_8859_1));
      }
    } catch (NoSuchFileException e) {
      throw UnusableFile.unfinished(field, path, "does not exist");
    } catch (AccessDeniedException e) {
      throw new UnusableFile(field, path, "cannot be read: permission denied");
    } catch (IOException | InvalidPathException e) {
      throw new UnusableFile(field, path, "cannot be read: " + PlainText.of("" + e.getMessage()));
    }
  }

  /** For {@code reason}, which follows field and path. */
  public UnusableFile unusable(String reason) {
    return new UnusableFile(field, path, reason);
  }

  /** Without the text, which may hold a key. */
  @Override
  public String toString() {
    return field + " " + path;
  }
}

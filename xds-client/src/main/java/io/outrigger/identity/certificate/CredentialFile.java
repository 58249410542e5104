package io.outrigger.identity.certificate;

import com.google.gson.JsonObject;
import io.outrigger.base.RegularFile;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Optional;

/**
 * The content of a file that a field of the bootstrap names.
 *
 * @param field the name of the field, such as {@code certificate_file}
 * @param text the content, one character for each byte
 */
public record CredentialFile(String field, String path, String text) {
  /** The maximum size of a file, which is enough for several hundred certificates. */
  static final int MAX_BYTES = 1 << 20;

  public Optional<JsonObject> json() {
    return SecretJson.object(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  interface Parser<T> {
    T parse() throws UnusableFile, GeneralSecurityException;
  }

  /** Reads a regular file of at most 1 MiB. Blocks. */
  public static CredentialFile read(String field, String path) throws UnusableFile {
    return read(field, path, MAX_BYTES);
  }

  public static CredentialFile read(String field, String path, int maxBytes) throws UnusableFile {
    try {
      byte[] content = RegularFile.read(path, maxBytes);
      return new CredentialFile(field, path, new String(content, StandardCharsets.ISO_8859_1));
    } catch (RegularFile.Unreadable e) {
      throw e.isMissing()
          ? UnusableFile.unfinished(field, path, e.reason())
          : new UnusableFile(field, path, e.reason());
    }
  }

  /**
   * Runs a parser and reports every failure as {@link UnusableFile}. The JDK's parsers of keys and
   * certificates throw undeclared exceptions; so does signing with a damaged key.
   *
   * @param reason the reason to report for any exception but {@code UnusableFile}
   */
  <T> T parsed(String reason, Parser<T> parser) throws UnusableFile {
    try {
      return parser.parse();
    } catch (GeneralSecurityException | RuntimeException | StackOverflowError damaged) {
      // The exception's text is left out, because it might quote a private key.
      throw unusable(reason);
    }
  }

  public UnusableFile unusable(String reason) {
    return new UnusableFile(field, path, reason);
  }

  /** Omits the file's text, which may contain a private key. */
  @Override
  public String toString() {
    return field + " " + path;
  }
}

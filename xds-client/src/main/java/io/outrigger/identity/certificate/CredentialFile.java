package io.outrigger.identity.certificate;

import com.google.gson.JsonObject;
import io.outrigger.base.RegularFile;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Optional;

/**
 * A file that a field of the bootstrap names, as it was read.
 *
 * @param field such as {@code certificate_file}
 * @param path as the bootstrap has it
 * @param text one character for each byte
 */
public record CredentialFile(String field, String path, String text) {
  /** Some hundred certificates; a larger file is named by mistake. */
  static final int MAX_BYTES = 1 << 20;

  /** The JSON object that the file is; empty when it is anything else. */
  public Optional<JsonObject> json() {
    return SecretJson.object(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Makes something of a file. */
  interface Parser<T> {
    T parse() throws UnusableFile, GeneralSecurityException;
  }

  /** Reads a file that is there, regular and at most 1 MiB. Blocks. */
  public static CredentialFile read(String field, String path) throws UnusableFile {
    return read(field, path, MAX_BYTES);
  }

  /** Reads a file that is there, regular and at most {@code maxBytes}. Blocks. */
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
   * The result of {@code parser}. The JDK's parsers of keys and certificates, and signatures by a
   * damaged key, throw more than they declare; here that is a file that cannot be used.
   *
   * @param reason for a parser that fails without a reason of its own
   */
  <T> T parsed(String reason, Parser<T> parser) throws UnusableFile {
    try {
      return parser.parse();
    } catch (GeneralSecurityException | RuntimeException | StackOverflowError damaged) {
      // its text might quote a key
      throw unusable(reason);
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

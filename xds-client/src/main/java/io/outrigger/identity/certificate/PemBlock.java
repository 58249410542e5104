package io.outrigger.identity.certificate;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/**
 * One block of a PEM file (RFC 7468). Text between blocks is a comment.
 *
 * @param label the block's label, such as {@code CERTIFICATE}
 * @param line the line where the block begins, counted from 1
 * @param encrypted whether headers within the block say that a passphrase is needed (RFC 1421)
 * @param der the decoded content; empty when the block is encrypted
 */
@SuppressWarnings("ArrayRecordComponent") // blocks are never compared
record PemBlock(String label, int line, boolean encrypted, byte[] der) {
  private static final String BEGIN = "-----BEGIN ";
  private static final String END = "-----END ";
  private static final String DASHES = "-----";

  /** The first byte of a DER document, the tag of a SEQUENCE. */
  private static final char DER_START = 0x30;

  static List<PemBlock> all(CredentialFile file) throws UnusableFile {
    List<PemBlock> blocks = new ArrayList<>();
    String label = null; // null outside of blocks
    int first = 0; // the first line of the open block
    boolean encrypted = false;
    var base64 = new StringBuilder();
    int number = 0;
    for (String raw : (Iterable<String>) file.text().lines()::iterator) {
      number++;
      String line = raw.strip();
      if (label == null) {
        int begin = line.indexOf(BEGIN); // a byte order mark may precede the dashes
        if (begin >= 0 && line.endsWith(DASHES)) {
          int start = begin + BEGIN.length();
          label = line.substring(start, Math.max(start, line.length() - DASHES.length()));
          first = number;
          encrypted = false;
          base64.setLength(0);
        }
      } else if (line.equals(END + label + DASHES)) {
        byte[] der = der(file, label, first, encrypted ? "" : base64);
        blocks.add(new PemBlock(label, first, encrypted, der));
        label = null;
      } else if (line.startsWith(DASHES)) {
        break;
      } else if (line.indexOf(':') >= 0) { // a header: base64 contains no colon
        encrypted |= line.startsWith("Proc-Type:") && line.endsWith("ENCRYPTED");
      } else {
        base64.append(line);
      }
    }
    if (label != null) {
      throw file.unusable(
          "is truncated or damaged: the " + label + " of line " + first + " has no end");
    }
    return blocks;
  }

  private static byte[] der(CredentialFile file, String label, int line, CharSequence base64)
      throws UnusableFile {
    try {
      return Base64.getDecoder().decode(base64.toString());
    } catch (IllegalArgumentException notBase64) {
      throw file.unusable("is damaged: the " + label + " of line " + line + " is not base64");
    }
  }

  /** Returns the error for a file that lacks the expected PEM block; recognizes DER files. */
  static String absence(CredentialFile file, String what, String command) {
    return !file.text().isEmpty() && file.text().charAt(0) == DER_START
        ? "is binary (DER); PEM is needed: openssl "
            + command
            + " -inform der -in "
            + file.path()
            + " -out FILE.pem"
        : "has no %s; PEM is needed: -----BEGIN %s-----"
            .formatted(what, what.toUpperCase(Locale.ROOT));
  }

  @Override
  public String toString() {
    return label + " of line " + line; // omits the content, which may be a key
  }
}

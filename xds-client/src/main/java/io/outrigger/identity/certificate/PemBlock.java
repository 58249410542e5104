package io.outrigger.identity.certificate;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

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

  private static final class Open {
    final String label;
    final int line;
    final StringBuilder base64 = new StringBuilder();
    boolean encrypted;

    Open(String label, int line) {
      this.label = label;
      this.line = line;
    }

    void add(String text) {
      if (text.indexOf(':') >= 0) { // a header: base64 contains no colon
        encrypted |= text.startsWith("Proc-Type:") && text.endsWith("ENCRYPTED");
      } else {
        base64.append(text);
      }
    }

    PemBlock close(CredentialFile file) throws UnusableFile {
      try {
        byte[] der = encrypted ? new byte[0] : Base64.getDecoder().decode(base64.toString());
        return new PemBlock(label, line, encrypted, der);
      } catch (IllegalArgumentException notBase64) {
        throw file.unusable("is damaged: the " + label + " of line " + line + " is not base64");
      }
    }
  }

  static List<PemBlock> all(CredentialFile file) throws UnusableFile {
    List<PemBlock> blocks = new ArrayList<>();
    Open open = null;
    int number = 0;
    for (String raw : (Iterable<String>) file.text().lines()::iterator) {
      number++;
      String line = raw.strip();
      int begin = open == null ? line.indexOf(BEGIN) : -1;
      if (begin >= 0 && line.endsWith(DASHES)) { // a byte order mark may precede the dashes
        int start = begin + BEGIN.length();
        int end = line.length() - DASHES.length();
        open = new Open(start < end ? line.substring(start, end) : "", number);
      } else if (open != null && line.equals(END + open.label + DASHES)) {
        blocks.add(open.close(file));
        open = null;
      } else if (open != null && line.startsWith(DASHES)) {
        break;
      } else if (open != null) {
        open.add(line);
      }
    }
    if (open != null) {
      throw file.unusable(
          "is truncated or damaged: the " + open.label + " of line " + open.line + " has no end");
    }
    return blocks;
  }

  /** The reason to report when a file has no PEM block of the expected kind; detects DER files. */
  static String absence(CredentialFile file, String what, String command) {
    return !file.text().isEmpty() && file.text().charAt(0) == DER_START
        ? "is binary (DER); PEM is needed: openssl "
            + command
            + " -inform der -in "
            + file.path()
            + " -out FILE.pem"
        : "has no " + what;
  }

  @Override
  public String toString() {
    return label + " of line " + line; // omits the content, which may be a key
  }
}

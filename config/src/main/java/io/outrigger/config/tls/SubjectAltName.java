package io.outrigger.config.tls;

import io.outrigger.base.PlainText;
import java.util.Locale;

/**
 * A subject alternative name of a certificate (RFC 5280 section 4.2.1.6). An IP address has its
 * canonical form (A29 "Server Authorization").
 */
public record SubjectAltName(Kind kind, String value) {
  /** The kinds of names that A29 considers. */
  public enum Kind {
    DNS,
    URI,
    EMAIL,
    IP;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Whether a matcher may accept this name. An empty name never matches (A29). Names with spaces,
   * control characters or non-ASCII characters never match, because implementations read such names
   * differently.
   */
  boolean isComparable() {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c <= ' ' || c >= 0x7F) {
        return false;
      }
    }
    return !value.isEmpty();
  }

  /**
   * Whether this DNS name covers {@code host}, ignoring case and a final dot. A wildcard must be
   * the whole first label and matches one label (RFC 6125 section 6.4.3).
   */
  boolean covers(String host) {
    String name = absolute(value);
    String wanted = absolute(host);
    int star = name.indexOf('*');
    if (star < 0) {
      return name.equals(wanted);
    }
    if (!name.startsWith("*.") || name.length() == 2 || name.indexOf('*', 1) >= 0) {
      return false;
    }
    int labelEnd = wanted.indexOf('.');
    return labelEnd > 0 && wanted.substring(labelEnd).equals(name.substring(1));
  }

  private static String absolute(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower : lower + ".";
  }

  @Override
  public String toString() {
    return kind.word() + ":" + PlainText.of(value);
  }
}

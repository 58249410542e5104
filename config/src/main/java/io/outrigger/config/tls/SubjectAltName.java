package io.outrigger.config.tls;

import io.outrigger.base.PlainText;
import java.util.Locale;

/**
 * A name of a certificate (RFC 5280 section 4.2.1.6).
 *
 * @param value as the certificate has it; an IP address in its canonical form (A29 "Server
 *     Authorization")
 */
public record SubjectAltName(Kind kind, String value) {
  /** The kinds that A29 considers. */
  public enum Kind {
    DNS,
    URI,
    EMAIL,
    IP;

    /** As messages and views have it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Whether the name can be compared at all. One that is empty never matches (A29); neither does
   * one with characters that no name has, such as the NUL before which a careless reader stops.
   */
  boolean isLegible() {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c <= ' ' || c >= 0x7F) {
        return false;
      }
    }
    return !value.isEmpty();
  }

  /**
   * Whether this name, of kind DNS, covers {@code host}: the letters of ASCII and a dot at the end
   * make no difference. A wildcard is a whole first label, and stands for one label (RFC 6125
   * section 6.4.3).
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

  /** Such as {@code uri:spiffe://mesh.example/pay}. */
  @Override
  public String toString() {
    return kind.word() + ":" + PlainText.of(value);
  }
}

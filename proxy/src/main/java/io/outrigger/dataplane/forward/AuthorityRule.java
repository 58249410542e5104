package io.outrigger.dataplane.forward;

import io.netty.util.AsciiString;

/**
 * Checks that a text has the form {@code host [":" port]} of RFC 3986 section 3.2. RFC 9113 section
 * 8.3.1 forbids user information in {@code :authority}, so a text with user information is
 * rejected.
 */
final class AuthorityRule {
  private static final String NAME_MARKS = "-._~!$&'()*+,;=";
  private static final int MAX_PORT_DIGITS = 5;

  /** The characters that a name may have; a table is fast enough for a check of each request. */
  private static final boolean[] IS_NAME_CHARACTER = new boolean[128];

  static {
    for (char c = 0; c < IS_NAME_CHARACTER.length; c++) {
      boolean isLetter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
      IS_NAME_CHARACTER[c] = isLetter || isHex(c) || NAME_MARKS.indexOf(c) >= 0;
    }
  }

  private AuthorityRule() {}

  static boolean isObeyed(AsciiString text) {
    int host = text.charAt(0) == '[' ? endOfLiteral(text) : endOfName(text);
    return host > 0 && isPort(text, host);
  }

  /**
   * Returns the index after a bracketed IP literal; -1 when {@code text} does not start with one.
   */
  private static int endOfLiteral(AsciiString text) {
    int end = text.indexOf("]", 1);
    for (int i = 1; i < end; i++) {
      char c = text.charAt(i);
      if (c != ':' && !isNameCharacter(c)) {
        return -1;
      }
    }
    return end < 2 ? -1 : end + 1;
  }

  /**
   * Returns the index after a host name or an IPv4 address; -1 when {@code text} does not start
   * with one.
   */
  private static int endOfName(AsciiString text) {
    int i = 0;
    while (i < text.length() && text.charAt(i) != ':') {
      char c = text.charAt(i);
      if (c == '%') {
        if (i + 2 >= text.length() || !isHex(text.charAt(i + 1)) || !isHex(text.charAt(i + 2))) {
          return -1;
        }
        i += 2;
      } else if (!isNameCharacter(c)) {
        return -1;
      }
      i++;
    }
    return i;
  }

  private static boolean isPort(AsciiString text, int from) {
    if (from == text.length()) {
      return true;
    }
    for (int i = from + 1; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return text.charAt(from) == ':' && text.length() - from - 1 <= MAX_PORT_DIGITS;
  }

  private static boolean isNameCharacter(char c) {
    return c < IS_NAME_CHARACTER.length && IS_NAME_CHARACTER[c];
  }

  private static boolean isHex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }
}

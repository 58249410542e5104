package io.outrigger.config.route;

/**
 * What every path that a matcher accepts begins with, letter case aside: what {@link RouteIndex}
 * sorts routes by. A shorter key than possible is always right; it only tells less.
 */
final class RouteKey {
  private RouteKey() {}

  /** The key of {@code matcher}, folded. */
  static String of(PathMatcher matcher) {
    if (matcher instanceof PathMatcher.Exact exact) {
      return folded(exact.path());
    }
    if (matcher instanceof PathMatcher.Prefix prefix) {
      return folded(prefix.prefix());
    }
    if (matcher instanceof PathMatcher.Regex regex) {
      return folded(literalStart(regex.pattern().pattern()));
    }
    throw new AssertionError(matcher);
  }

  /** One letter without its case, as {@link String#equalsIgnoreCase} compares. */
  static char fold(char c) {
    if (c < 0x80) {
      return c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
    }
    return Character.toLowerCase(Character.toUpperCase(c));
  }

  /** Up to the first letter beyond ASCII: how pairs of surrogates fold is not for one letter. */
  private static String folded(String text) {
    var folded = new StringBuilder(text.length());
    for (int i = 0; i < text.length() && text.charAt(i) < 0x80; i++) {
      folded.append(fold(text.charAt(i)));
    }
    return folded.toString();
  }

  /**
   * The literal text with which every match of an RE2 expression begins, as far as that is plain to
   * see: up to the first operator, nothing when there are alternatives anywhere.
   */
  static String literalStart(String regex) {
    if (regex.indexOf('|') >= 0) {
      return "";
    }
    var literal = new StringBuilder();
    int i = regex.startsWith("^") ? 1 : 0;
    while (i < regex.length()) {
      char c = regex.charAt(i);
      if (c == '*' || c == '?' || c == '{') { // the letter before may be missing
        literal.setLength(Math.max(0, literal.length() - 1));
        break;
      }
      if (c == '\\') {
        i++;
        if (i == regex.length() || Character.isLetterOrDigit(regex.charAt(i))) {
          break; // a class, a quotation, a code
        }
        c = regex.charAt(i);
      } else if (".[]()+}^$".indexOf(c) >= 0) {
        break;
      }
      literal.append(c);
      i++;
    }
    return literal.toString();
  }
}

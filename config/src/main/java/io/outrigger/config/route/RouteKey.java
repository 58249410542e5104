package io.outrigger.config.route;

/**
 * Computes a common prefix of all paths that a matcher accepts, ignoring case. {@link RouteIndex}
 * sorts routes by this key. A key that is shorter than possible is still correct but excludes fewer
 * routes.
 */
final class RouteKey {
  private RouteKey() {}

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

  /** Folds the case of a character as {@link String#equalsIgnoreCase} does. */
  static char fold(char c) {
    if (c < 0x80) {
      return c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
    }
    return Character.toLowerCase(Character.toUpperCase(c));
  }

  /**
   * Folds {@code text} up to the first character beyond ASCII, because the case of surrogate pairs
   * cannot be folded character by character.
   */
  private static String folded(String text) {
    var folded = new StringBuilder(text.length());
    for (int i = 0; i < text.length() && text.charAt(i) < 0x80; i++) {
      folded.append(fold(text.charAt(i)));
    }
    return folded.toString();
  }

  /**
   * Returns a literal text with which every match of an RE2 expression begins: the text up to the
   * first operator. The result is empty when the expression has alternatives.
   */
  static String literalStart(String regex) {
    if (regex.indexOf('|') >= 0) {
      return "";
    }
    var literal = new StringBuilder();
    int i = regex.startsWith("^") ? 1 : 0;
    while (i < regex.length()) {
      char c = regex.charAt(i);
      if (c == '*' || c == '?' || c == '{') { // the character before is optional
        literal.setLength(Math.max(0, literal.length() - 1));
        break;
      }
      if (c == '\\') {
        i++;
        if (i == regex.length() || Character.isLetterOrDigit(regex.charAt(i))) {
          break; // a character class, a quotation or a character code
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

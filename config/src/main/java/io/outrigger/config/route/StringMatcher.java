package io.outrigger.config.route;

import com.google.re2j.Pattern;
import java.util.Locale;

/**
 * A condition on a text (A63): a header, a name, or the path of a request (A28 "Path Matching").
 * Texts have the form of {@link WireText}. {@code ignoreCase} affects only ASCII letters, and has
 * no effect on regular expressions.
 */
public sealed interface StringMatcher {
  boolean matches(String value);

  private static String described(String kind, String text, boolean ignoreCase) {
    return kind + " \"" + WireText.read(text) + "\"" + (ignoreCase ? " ignoring case" : "");
  }

  /** Matches a text that equals the expected text, which may be empty. */
  record Exact(String exact, boolean ignoreCase) implements StringMatcher {
    @Override
    public boolean matches(String value) {
      return ignoreCase ? exact.equalsIgnoreCase(value) : exact.equals(value);
    }

    @Override
    public String toString() {
      return described("exactly", exact, ignoreCase);
    }
  }

  /** Matches a text that begins with {@code prefix}; only a route's path prefix may be empty. */
  record Prefix(String prefix, boolean ignoreCase) implements StringMatcher {
    @Override
    public boolean matches(String value) {
      return ignoreCase
          ? value.regionMatches(true, 0, prefix, 0, prefix.length())
          : value.startsWith(prefix);
    }

    @Override
    public String toString() {
      return described("with prefix", prefix, ignoreCase);
    }
  }

  /** Matches a text that ends with {@code suffix}, which is not empty. */
  record Suffix(String suffix, boolean ignoreCase) implements StringMatcher {
    @Override
    public boolean matches(String value) {
      return value.regionMatches(
          ignoreCase, value.length() - suffix.length(), suffix, 0, suffix.length());
    }

    @Override
    public String toString() {
      return described("with suffix", suffix, ignoreCase);
    }
  }

  /** Matches a text that contains a given substring, which is not empty. */
  record Contains(String part, boolean ignoreCase) implements StringMatcher {
    public Contains {
      part = ignoreCase ? part.toLowerCase(Locale.ROOT) : part;
    }

    @Override
    public boolean matches(String value) {
      return (ignoreCase ? value.toLowerCase(Locale.ROOT) : value).contains(part);
    }

    @Override
    public String toString() {
      return described("containing", part, ignoreCase);
    }
  }

  /**
   * Matches a text if the whole text, decoded as UTF-8, matches an RE2 expression.
   *
   * @param part a substring of every matching text; may be empty. A search for this substring comes
   *     first, because it is a hundred times faster than a match of the whole expression
   */
  record Regex(Pattern pattern, String part) implements StringMatcher {
    private static final String ANYTHING = ".*";

    public Regex(Pattern pattern) {
      this(pattern, literal(pattern.pattern()));
    }

    /**
     * Returns {@code x} for a {@code regex} such as {@code .*x.*}, if {@code x} is literal text;
     * otherwise an empty text.
     */
    private static String literal(String regex) {
      int start = regex.startsWith(ANYTHING) ? ANYTHING.length() : 0;
      int end = regex.endsWith(ANYTHING) ? regex.length() - ANYTHING.length() : regex.length();
      String rest = regex.substring(start, Math.max(start, end));
      return rest.chars().allMatch(c -> c < 0x80 && "\\.+*?()|[]{}^$".indexOf(c) < 0) ? rest : "";
    }

    @Override
    public boolean matches(String value) {
      return value.contains(part) && pattern.matches(WireText.read(value));
    }

    @Override
    public String toString() {
      return "matching regex \"" + pattern.pattern() + "\"";
    }
  }
}

package io.outrigger.config.route;

import com.google.re2j.Pattern;
import java.util.Locale;

/**
 * A route's condition on the path without the query (A28 "Path Matching"). Texts have the form of
 * {@link WireText}. Ignoring case affects ASCII letters only.
 */
public sealed interface PathMatcher {
  boolean matches(String path);

  record Prefix(String prefix, boolean caseSensitive) implements PathMatcher {
    @Override
    public boolean matches(String path) {
      return path.regionMatches(!caseSensitive, 0, prefix, 0, prefix.length());
    }

    @Override
    public String toString() {
      return "prefix \"" + WireText.read(prefix) + "\"" + (caseSensitive ? "" : " ignoring case");
    }
  }

  record Exact(String path, boolean caseSensitive) implements PathMatcher {
    @Override
    public boolean matches(String candidate) {
      return caseSensitive ? path.equals(candidate) : path.equalsIgnoreCase(candidate);
    }

    @Override
    public String toString() {
      return "path \"" + WireText.read(path) + "\"" + (caseSensitive ? "" : " ignoring case");
    }
  }

  /** Matches a path that, decoded as UTF-8, matches an RE2 expression as a whole. */
  record Regex(Pattern pattern) implements PathMatcher {
    @Override
    public boolean matches(String path) {
      return pattern.matches(WireText.read(path));
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "regex \"%s\"", pattern.pattern());
    }
  }
}

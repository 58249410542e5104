package io.outrigger.config.route;

import com.google.re2j.Pattern;
import java.util.Locale;

/**
 * How a route matches the path without its query (A28 "Path Matching"). Texts are {@link WireText};
 * letter case is that of ASCII.
 */
public sealed interface PathMatcher {
  /** Whether {@code path} matches; it has no query part. */
  boolean matches(String path);

  /** The path begins with {@code prefix}. */
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

  /** The path is {@code path}. */
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

  /** The whole path, read as UTF-8, matches an RE2 expression. */
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

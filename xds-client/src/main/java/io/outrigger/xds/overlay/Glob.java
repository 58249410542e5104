package io.outrigger.xds.overlay;

import com.google.re2j.Pattern;
import java.util.List;

/** A pattern for whole names: {@code *} matches any text, {@code ?} matches one character. */
public record Glob(Pattern regex) {
  public static Glob of(String glob) {
    String regex = Pattern.quote(glob).replace("\\*", ".*").replace("\\?", ".");
    return new Glob(Pattern.compile(regex, Pattern.DOTALL));
  }

  static boolean anyMatches(List<Glob> globs, String text) {
    return globs.stream().anyMatch(glob -> glob.matches(text));
  }

  public boolean matches(String text) {
    return regex.matches(text);
  }
}

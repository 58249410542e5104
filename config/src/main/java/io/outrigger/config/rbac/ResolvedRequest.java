package io.outrigger.config.rbac;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request with the path that an app sees if the app resolves paths (decision config-0085). */
public record ResolvedRequest(AuthorizationInput received, String path)
    implements AuthorizationInput {
  private static final int ENCODED = 3; // the length of a %2e
  private static final int HEX = 16;
  private static final String NEEDLESS = "-._~";

  /** The limits of what policies compare; a caller could otherwise block the event loop. */
  private static final int MAX_PATHS = 8;

  private static final int MAX_CHARS = 1 << 17;

  /**
   * Returns the other paths that known servers make of a path (RFC 3986 section 6.2.2). Servers may
   * percent-decode characters that need no encoding, perhaps also slashes and backslashes. Then
   * they may replace backslashes by slashes, merge adjacent slashes and remove dot segments. Each
   * combination of these steps may give another path. The query string is not changed. Returns null
   * if the paths are too many or too long; the request must then be refused.
   */
  public static @Nullable Set<String> resolve(String path) {
    String given = AuthorizationInput.withoutQuery(path);
    if (given.indexOf('%') < 0
        && given.indexOf('\\') < 0
        && !given.contains("//")
        && !given.contains("/.")) {
      return Set.of();
    }
    Set<String> decoded = new LinkedHashSet<>();
    for (String text : List.of(decode(given, NEEDLESS + "/\\"), decode(given, NEEDLESS), given)) {
      decoded.add(text.replace('\\', '/'));
      decoded.add(text);
    }
    String query = path.substring(given.length());
    Set<String> all = new LinkedHashSet<>();
    for (String text : decoded) {
      all.add(resolved(text, true, true) + query);
      all.add(resolved(text, true, false) + query);
      all.add(resolved(text, false, true) + query);
      all.add(text + query);
    }
    all.remove(path);
    return all.size() > MAX_PATHS || all.size() * path.length() > MAX_CHARS ? null : all;
  }

  private static String resolved(String path, boolean merges, boolean removesDots) {
    Deque<String> segments = new ArrayDeque<>();
    String last = "";
    for (String segment : path.substring(1).split("/", -1)) {
      last = segment;
      if (removesDots && segment.equals("..")) {
        segments.pollLast();
      } else if (!(merges && segment.isEmpty()) && !(removesDots && segment.equals("."))) {
        segments.addLast(segment);
      }
    }
    boolean isFolder = !segments.isEmpty() && !last.equals(segments.peekLast());
    return "/" + String.join("/", segments) + (isFolder ? "/" : "");
  }

  private static String decode(String path, String needless) {
    var decoded = new StringBuilder(path.length());
    for (int i = 0; i < path.length(); i++) {
      int code = path.charAt(i) == '%' ? code(path, i + 1) : -1;
      boolean isNeedless =
          (code >= '0' && code <= '9')
              || ((code | 0x20) >= 'a' && (code | 0x20) <= 'z')
              || (code > 0 && needless.indexOf(code) >= 0);
      decoded.append(isNeedless ? (char) code : path.charAt(i));
      i += isNeedless ? ENCODED - 1 : 0;
    }
    return decoded.toString();
  }

  /** Returns the value of two hexadecimal digits at an index; -1 if there are no such digits. */
  private static int code(String text, int at) {
    if (at + 2 > text.length()) {
      return -1;
    }
    int high = Character.digit(text.charAt(at), HEX);
    int low = Character.digit(text.charAt(at + 1), HEX);
    return high < 0 || low < 0 ? -1 : high * HEX + low;
  }

  @Override
  public @Nullable String header(String name) {
    return name.equals(":path") ? path : received.header(name);
  }

  @Override
  public Connection connection() {
    return received.connection();
  }
}

package io.outrigger.config.rbac;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A request with the path that an app sees if the app resolves paths (decision config-0085). */
public record ResolvedRequest(AuthorizationInput received, String path)
    implements AuthorizationInput {
  private static final int ENCODED = 3; // the length of a %2e
  private static final int HEX = 16;

  /**
   * Resolves a path with all the steps that known servers apply (RFC 3986 section 6.2.2).
   * Percent-decodes slashes, backslashes and characters that need no encoding. Replaces backslashes
   * by slashes. Merges adjacent slashes. Removes dot segments. The query string is not changed.
   */
  public static String resolve(String path) {
    String given = AuthorizationInput.withoutQuery(path);
    if (given.indexOf('%') < 0
        && given.indexOf('\\') < 0
        && !given.contains("//")
        && !given.contains("/.")) {
      return path;
    }
    String decoded = decode(given).replace('\\', '/');
    Deque<String> segments = new ArrayDeque<>();
    String last = "";
    for (String segment : decoded.split("/", -1)) {
      last = segment;
      if (segment.equals("..")) {
        segments.pollLast();
      } else if (!segment.isEmpty() && !segment.equals(".")) {
        segments.addLast(segment);
      }
    }
    boolean isFolder = !segments.isEmpty() && !last.equals(segments.peekLast());
    return "/"
        + String.join("/", segments)
        + (isFolder ? "/" : "")
        + path.substring(given.length());
  }

  private static String decode(String path) {
    var decoded = new StringBuilder(path.length());
    for (int i = 0; i < path.length(); i++) {
      int code = path.charAt(i) == '%' ? code(path, i + 1) : -1;
      boolean isNeedless =
          (code >= '0' && code <= '9')
              || ((code | 0x20) >= 'a' && (code | 0x20) <= 'z')
              || (code > 0 && "-._~/\\".indexOf(code) >= 0);
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

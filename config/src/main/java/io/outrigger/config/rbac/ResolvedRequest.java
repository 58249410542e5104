package io.outrigger.config.rbac;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A request whose path was normalized as an app may normalize it (decision config-0085). */
public record ResolvedRequest(AuthorizationInput received, String urlPath)
    implements AuthorizationInput {
  private static final int ENCODED = 3; // the length of a %2e
  private static final int HEX = 16;
  private static final Pattern SLASHES = Pattern.compile("//+");

  /** Characters that need no encoding in a segment, besides letters and digits (RFC 3986). */
  private static final String NEEDLESS = "-._~!$&'()*+,;=:@";

  private static final String NEEDLESS_OR_SLASH = NEEDLESS + "/\\";

  /** The limits on the paths to compare; without them, a caller could block the event loop. */
  private static final int MAX_PATHS = 9;

  private static final int MAX_CHARS = 1 << 13;

  /**
   * Returns the other paths to which known servers may normalize a path without query (RFC 3986
   * section 6.2.2). A server may do any of these steps, in any order: percent-decode the characters
   * that need no encoding, percent-decode slashes and backslashes, replace backslashes by slashes,
   * merge adjacent slashes, and remove dot segments. Returns null if the paths are too many or too
   * long; the request must then be refused.
   */
  public static @Nullable List<String> resolve(String path) {
    if (path.indexOf('\\') < 0
        && !path.contains("//")
        && !path.contains("/.")
        && encoded(path, 0, NEEDLESS_OR_SLASH) < 0) {
      return List.of();
    }
    List<String> all = new ArrayList<>(List.of(path));
    for (int i = 0; i < all.size(); i++) {
      if (all.size() > MAX_PATHS || path.length() > MAX_CHARS) {
        return null;
      }
      String text = all.get(i);
      for (String next :
          List.of(
              decode(text, NEEDLESS),
              decode(text, NEEDLESS_OR_SLASH),
              text.replace('\\', '/'),
              SLASHES.matcher(text).replaceAll("/"),
              withoutDots(text))) {
        if (!all.contains(next)) {
          all.add(next);
        }
      }
    }
    return all.subList(1, all.size());
  }

  private static String withoutDots(String path) {
    Deque<String> segments = new ArrayDeque<>();
    for (String segment : path.substring(1).split("/", -1)) {
      if (segment.equals("..")) {
        segments.pollLast();
      } else if (!segment.equals(".")) {
        segments.addLast(segment);
      }
    }
    if (path.endsWith("/.") || path.endsWith("/..")) {
      segments.addLast("");
    }
    return "/" + String.join("/", segments);
  }

  private static String decode(String path, String needless) {
    var decoded = new StringBuilder(path.length());
    int from = 0;
    for (int at = encoded(path, 0, needless); at >= 0; at = encoded(path, from, needless)) {
      decoded.append(path, from, at).append((char) code(path, at + 1));
      from = at + ENCODED;
    }
    return decoded.append(path, from, path.length()).toString();
  }

  /**
   * Returns the index of the next percent-encoded letter, digit or other given character, or -1.
   */
  private static int encoded(String path, int from, String needless) {
    for (int at = path.indexOf('%', from); at >= 0; at = path.indexOf('%', at + 1)) {
      int code = code(path, at + 1);
      if ((code >= '0' && code <= '9')
          || ((code | 0x20) >= 'a' && (code | 0x20) <= 'z')
          || (code > 0 && needless.indexOf(code) >= 0)) {
        return at;
      }
    }
    return -1;
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
  public String path() {
    return urlPath + received.path().substring(received.urlPath().length());
  }

  @Override
  public @Nullable String header(String name) {
    return name.equals(":path") ? path() : received.header(name);
  }

  @Override
  public Connection connection() {
    return received.connection();
  }
}

package io.outrigger.base;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/** IP addresses as text, in the one canonical form by which they can be compared (RFC 5952). */
@AnyThread
public final class IpLiteral {
  private static final int V6_GROUPS = 8;

  private IpLiteral() {}

  /**
   * The canonical form of {@code text}; empty when it is not a literal IPv4 or IPv6 address. Never
   * looks a name up. An IPv4-mapped IPv6 address is the IPv4 address that it maps.
   */
  public static Optional<String> canonical(String text) {
    return text.indexOf(':') >= 0 ? v6(text) : v4(text);
  }

  private static Optional<String> v4(String text) {
    int octets = 0;
    int start = 0;
    for (int i = 0; i <= text.length(); i++) {
      if (i == text.length() || text.charAt(i) == '.') {
        if (!isOctet(text, start, i)) {
          return Optional.empty();
        }
        octets++;
        start = i + 1;
      }
    }
    return octets == 4 ? Optional.of(text) : Optional.empty();
  }

  /** Without leading zeros, which some read as octal. */
  private static boolean isOctet(String text, int start, int end) {
    int length = end - start;
    if (length < 1 || length > 3 || (length > 1 && text.charAt(start) == '0')) {
      return false;
    }
    int value = 0;
    for (int i = start; i < end; i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        return false;
      }
      value = value * 10 + c - '0';
    }
    return value <= 255;
  }

  @SuppressWarnings("AddressSelection") // in brackets: a literal or an exception, never a look-up
  private static Optional<String> v6(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != ':' && c != '.' && (c > 'f' || Character.digit(c, 16) < 0)) {
        return Optional.empty(); // brackets and zones among them
      }
    }
    try {
      byte[] address = InetAddress.getByName("[" + text + "]").getAddress();
      return Optional.of(address.length == 4 ? dotted(address) : grouped(address));
    } catch (UnknownHostException notAnAddress) {
      return Optional.empty();
    }
  }

  private static String dotted(byte[] address) {
    return (address[0] & 0xFF)
        + "."
        + (address[1] & 0xFF)
        + "."
        + (address[2] & 0xFF)
        + "."
        + (address[3] & 0xFF);
  }

  /** RFC 5952 section 4: lower case, no leading zeros, the longest run of zeros shortened. */
  private static String grouped(byte[] address) {
    int[] groups = new int[V6_GROUPS];
    for (int i = 0; i < V6_GROUPS; i++) {
      groups[i] = (address[2 * i] & 0xFF) << 8 | (address[2 * i + 1] & 0xFF);
    }
    int runStart = -1;
    int runLength = 1; // a single zero group is written out
    for (int i = 0; i < V6_GROUPS; i++) {
      int end = i;
      while (end < V6_GROUPS && groups[end] == 0) {
        end++;
      }
      if (end - i > runLength) {
        runStart = i;
        runLength = end - i;
      }
    }
    var text = new StringBuilder();
    for (int i = 0; i < V6_GROUPS; i++) {
      if (i == runStart) {
        text.append("::");
        i += runLength - 1;
        continue;
      }
      if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
        text.append(':');
      }
      text.append(Integer.toHexString(groups[i]));
    }
    return text.toString();
  }
}

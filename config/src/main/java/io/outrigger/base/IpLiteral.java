package io.outrigger.base;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * Converts IP addresses in text form to the canonical form of RFC 5952, in which equal addresses
 * have equal text.
 */
@AnyThread
public final class IpLiteral {
  private static final int V6_GROUPS = 8;

  private IpLiteral() {}

  /**
   * Returns the canonical form of {@code text}, or empty when {@code text} is not a literal IPv4 or
   * IPv6 address. Names are never looked up. An IPv4-mapped IPv6 address becomes the IPv4 address
   * that it maps.
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

  /**
   * Whether the part of {@code text} is a number from 0 to 255. Leading zeros are refused, because
   * some parsers read them as octal.
   */
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

  @SuppressWarnings("AddressSelection") // brackets prevent a lookup of names
  private static Optional<String> v6(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != ':' && c != '.' && (c > 'f' || Character.digit(c, 16) < 0)) {
        return Optional.empty(); // this refuses brackets and zones, too
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

  /**
   * Formats an IPv6 address by RFC 5952 section 4: lower case, no leading zeros, and {@code ::} for
   * the longest run of zero groups.
   */
  private static String grouped(byte[] address) {
    int[] groups = new int[V6_GROUPS];
    for (int i = 0; i < V6_GROUPS; i++) {
      groups[i] = (address[2 * i] & 0xFF) << 8 | (address[2 * i + 1] & 0xFF);
    }
    int runStart = -1;
    int runLength = 1; // a single zero group is not shortened
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

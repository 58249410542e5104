package io.outrigger.base;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An IP address, stored as numbers so that comparisons allocate no objects. An IPv4-mapped IPv6
 * address, which a socket on {@code [::]} reports for an IPv4 peer, becomes the IPv4 address.
 *
 * @param high the upper half of an IPv6 address; 0 for IPv4
 * @param low the lower half of an IPv6 address, or the IPv4 address
 */
public record IpAddress(boolean isV6, long high, long low) {
  static final long MAPPED = 0xFFFF_0000_0000L;

  private static final long UINT32 = 0xFFFF_FFFFL;
  private static final int V4_LOOPBACK = 127;
  private static final int V4_NUMBERS = 4;
  private static final int MAX_NUMBER = 255;

  private static final Pattern V6 = Pattern.compile("[0-9A-Fa-f:.]+"); // no brackets, no zone

  /** Matches two or more adjacent zero groups of an IPv6 address, with the colons around them. */
  private static final Pattern ZEROS = Pattern.compile("(?:^|:)0(?::0)+(?:$|:)");

  public static IpAddress of(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    if (!(address instanceof Inet6Address)) {
      return new IpAddress(false, 0, bytes.getInt() & UINT32);
    }
    long high = bytes.getLong();
    long low = bytes.getLong();
    return high == 0 && (low & ~UINT32) == MAPPED
        ? new IpAddress(false, 0, low & UINT32)
        : new IpAddress(true, high, low);
  }

  /** Parses a literal IPv4 or IPv6 address; empty for any other text. Never resolves host names. */
  @SuppressWarnings("AddressSelection") // a literal address needs no look-up
  public static Optional<IpAddress> parse(String text) {
    boolean isV6 = text.indexOf(':') >= 0;
    if (!(isV6 ? V6.matcher(text).matches() : isV4(text))) {
      return Optional.empty();
    }
    try {
      return Optional.of(of(InetAddress.getByName(isV6 ? "[" + text + "]" : text)));
    } catch (UnknownHostException notAnAddress) {
      return Optional.empty();
    }
  }

  /** Returns the canonical form (RFC 5952) of a literal address; empty for any other text. */
  public static Optional<String> canonical(String text) {
    return text.indexOf(':') < 0
        ? Optional.of(text).filter(IpAddress::isV4)
        : parse(text).map(IpAddress::toString);
  }

  /**
   * Whether {@code text} is a literal IPv4 address. Numbers with leading zeros are refused, because
   * some parsers read them as octal. A regular expression would be ten times slower.
   */
  private static boolean isV4(String text) {
    int numbers = 0;
    int value = -1; // -1 until the first digit of a number is read
    for (int i = 0; i <= text.length(); i++) {
      char next = i < text.length() ? text.charAt(i) : '.';
      if (next == '.' && value >= 0) {
        numbers++;
        value = -1;
      } else if (next >= '0' && next <= '9' && value != 0) {
        value = Math.max(value, 0) * 10 + next - '0';
      } else {
        return false;
      }
      if (value > MAX_NUMBER) {
        return false;
      }
    }
    return numbers == V4_NUMBERS;
  }

  public boolean isLoopback() {
    return isV6 ? high == 0 && low == 1 : low >> 24 == V4_LOOPBACK;
  }

  /** Returns the canonical form of this address (RFC 5952). */
  @Override
  public String toString() {
    if (!isV6) {
      return host(ByteBuffer.allocate(Integer.BYTES).putInt((int) low).array());
    }
    String groups = host(ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array());
    // RFC 5952 section 4.2: :: replaces the longest run of zeros; if several are longest, the first
    return ZEROS
        .matcher(groups)
        .results()
        .max(Comparator.comparingLong(run -> run.group().chars().filter(c -> c == '0').count()))
        .map(run -> groups.substring(0, run.start()) + "::" + groups.substring(run.end()))
        .orElse(groups);
  }

  private static String host(byte[] address) {
    try {
      return InetAddress.getByAddress(address).getHostAddress();
    } catch (UnknownHostException impossible) { // the array has the length of an address
      throw new IllegalStateException(impossible);
    }
  }
}

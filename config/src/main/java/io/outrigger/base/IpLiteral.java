package io.outrigger.base;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Converts IP addresses in text form to the canonical form of RFC 5952, in which equal addresses
 * have equal text.
 */
@AnyThread
public final class IpLiteral {
  /** Four numbers up to 255, without leading zeros, which some parsers read as octal. */
  private static final Pattern V4 =
      Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(?:\\.(?!$)|$)){4}");

  private static final Pattern V6 = Pattern.compile("[0-9A-Fa-f:.]+"); // no brackets, no zone

  /** Two or more groups of zero, with the colons around them. */
  private static final Pattern ZEROS = Pattern.compile("(?:^|:)0(?::0)+(?:$|:)");

  private IpLiteral() {}

  /**
   * Returns the canonical form of {@code text}, or empty when {@code text} is not a literal IPv4 or
   * IPv6 address. Names are never looked up. An IPv4-mapped IPv6 address becomes the IPv4 address
   * that it maps.
   */
  public static Optional<String> canonical(String text) {
    if (text.indexOf(':') < 0) {
      return V4.matcher(text).matches() ? Optional.of(text) : Optional.empty();
    }
    return V6.matcher(text).matches() ? v6(text) : Optional.empty();
  }

  @SuppressWarnings("AddressSelection") // brackets prevent a lookup of names
  private static Optional<String> v6(String text) {
    try {
      String groups = InetAddress.getByName("[" + text + "]").getHostAddress();
      // RFC 5952 section 4.2: :: stands for the longest run of zeros, and for the first of equals
      return ZEROS
          .matcher(groups)
          .results()
          .max(Comparator.comparingLong(IpLiteral::zeros))
          .map(run -> groups.substring(0, run.start()) + "::" + groups.substring(run.end()))
          .or(() -> Optional.of(groups));
    } catch (UnknownHostException notAnAddress) {
      return Optional.empty();
    }
  }

  private static long zeros(MatchResult run) {
    return run.group().chars().filter(c -> c == '0').count();
  }
}

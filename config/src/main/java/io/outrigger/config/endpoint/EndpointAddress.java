package io.outrigger.config.endpoint;

import io.outrigger.config.tls.EndpointTls;
import java.util.Optional;

/**
 * A literal IP address and a port, and the way there: connections of one are never used for another
 * (A29-19).
 *
 * @param ip in canonical text form, IPv6 without brackets
 * @param port 1 to 65535
 * @param proxy who is asked to CONNECT there (A86); empty for a direct connection
 * @param tls empty for a connection in plain text
 */
public record EndpointAddress(
    String ip, int port, Optional<EndpointAddress> proxy, Optional<EndpointTls> tls) {
  private static final int MAX_PORT = 65_535;

  /** An address that is connected to directly, in plain text. */
  public EndpointAddress(String ip, int port) {
    this(ip, port, Optional.empty(), Optional.empty());
  }

  /**
   * The address that {@link #toString} writes so; empty for any other text. The IP address is taken
   * as it stands: two spellings of one are two.
   */
  public static Optional<EndpointAddress> parse(String text) {
    int colon = text.lastIndexOf(':');
    int port = port(text, colon + 1);
    String host = colon < 0 ? "" : text.substring(0, colon);
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    String ip = bracketed ? host.substring(1, host.length() - 1) : host;
    boolean isIp6 = ip.indexOf(':') >= 0;
    if (port == 0 || ip.isEmpty() || isIp6 != bracketed || !looksLikeIp(ip)) {
      return Optional.empty();
    }
    return Optional.of(new EndpointAddress(ip, port));
  }

  /** The decimal number from {@code start} on, without leading zeros; 0 when it is no port. */
  private static int port(String text, int start) {
    int digits = text.length() - start;
    if (digits < 1 || digits > 5 || text.charAt(start) == '0') {
      return 0;
    }
    int port = 0;
    for (int i = start; i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return 0;
      }
      port = 10 * port + digit;
    }
    return port > MAX_PORT ? 0 : port;
  }

  private static boolean looksLikeIp(String ip) {
    for (int i = 0; i < ip.length(); i++) {
      char c = ip.charAt(i);
      if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f') && c != '.' && c != ':') {
        return false;
      }
    }
    return true;
  }

  /** The same behind {@code proxy}. */
  public EndpointAddress through(EndpointAddress proxy) {
    return new EndpointAddress(ip, port, Optional.of(proxy), tls);
  }

  /** The address alone, as sessions and people know it, without the way there. */
  public EndpointAddress bare() {
    return proxy.isEmpty() && tls.isEmpty() ? this : new EndpointAddress(ip, port);
  }

  // By hand: a key of hash tables on the path of a start and of updates, where the method handles
  // that a record makes
  // for the same at first use are the larger part of the work.
  @Override
  public boolean equals(Object other) {
    return other instanceof EndpointAddress that
        && port == that.port
        && ip.equals(that.ip)
        && proxy.equals(that.proxy)
        && tls.equals(that.tls);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * ip.hashCode() + port) + proxy.hashCode();
  }

  /** {@code ip:port} or {@code [ip6]:port}. */
  @Override
  public String toString() {
    return ip.indexOf(':') >= 0 ? "[" + ip + "]:" + port : ip + ":" + port;
  }
}

package io.outrigger.config.endpoint;

import io.outrigger.config.tls.EndpointTls;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A literal IP address and port, with the HTTP proxy and TLS settings for connections. Addresses
 * that differ in any component never share connections (A29-19). If a sidecar forwards to its local
 * app, the app's address may be a unix socket.
 *
 * @param ip the IP address in canonical form without brackets, or {@code unix:/path}
 * @param port the port, 1 to 65535; 0 for a unix socket
 * @param proxy the HTTP proxy that receives the CONNECT request (A86); empty for a direct
 *     connection
 * @param tls the TLS settings; empty for plain text
 */
public record EndpointAddress(
    String ip, int port, Optional<EndpointAddress> proxy, Optional<EndpointTls> tls) {
  private static final String UNIX = "unix:";

  /** Matches an IPv6 address in brackets or an IPv4 address, and a port without leading zeros. */
  private static final Pattern TEXT =
      Pattern.compile("(\\[[0-9a-f.]*:[0-9a-f.:]*]|[0-9a-f.]+):([1-9][0-9]{0,4})");

  public EndpointAddress(String ip, int port) {
    this(ip, port, Optional.empty(), Optional.empty());
  }

  public static boolean isPort(int number) {
    return number >= 1 && number <= 65_535;
  }

  public static boolean isPort(String text) {
    return text.matches("0*\\d{1,5}") && isPort(Integer.parseInt(text));
  }

  /** Whether a URI has a valid port or no port. */
  public static boolean isPortOf(URI uri) {
    return uri.getPort() < 0 || isPort(uri.getPort());
  }

  public static EndpointAddress unix(String path) {
    return new EndpointAddress(UNIX + path, 0);
  }

  public Optional<String> unixPath() {
    return ip.startsWith(UNIX) ? Optional.of(ip.substring(UNIX.length())) : Optional.empty();
  }

  /** Parses the output of {@link #toString} without canonicalization; empty for any other text. */
  public static Optional<EndpointAddress> parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    int port = Integer.parseInt(parts.group(2));
    if (!isPort(port)) {
      return Optional.empty();
    }
    String host = parts.group(1);
    String ip = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    return Optional.of(new EndpointAddress(ip, port));
  }

  public EndpointAddress through(EndpointAddress proxy) {
    return new EndpointAddress(ip, port, Optional.of(proxy), tls);
  }

  public EndpointAddress bare() {
    return proxy.isEmpty() && tls.isEmpty() ? this : new EndpointAddress(ip, port);
  }

  // equals and hashCode are written by hand: each start uses addresses as hash keys, and the first
  // call of a record's generated methods would delay the start.
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

  @Override
  public String toString() {
    if (ip.startsWith(UNIX)) {
      return ip;
    }
    return ip.indexOf(':') >= 0 ? "[" + ip + "]:" + port : ip + ":" + port;
  }
}

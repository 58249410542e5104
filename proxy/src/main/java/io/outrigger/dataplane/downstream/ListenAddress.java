package io.outrigger.dataplane.downstream;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The address of a local port or unix socket to listen on. */
public sealed interface ListenAddress {
  /**
   * A TCP port.
   *
   * @param host a host name or an IP address; IPv6 addresses without brackets
   * @param port the port; 0 selects a free port
   */
  record Tcp(String host, int port) implements ListenAddress {
    private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::");
    private static final Pattern FORM =
        Pattern.compile(
            "(?:(?:\\[(?<v6>[0-9A-Fa-f:.%a-z]*:[0-9A-Fa-f:.%a-z]*)\\]|(?<host>[^\\s:/@\\[\\]]+)):)?"
                + "(?<port>\\d+)");

    @Override
    public String toString() {
      return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
  }

  record Unix(String path) implements ListenAddress {
    private static final int MAX_PATH = 107; // the 108 bytes of sun_path without the final zero

    private static Unix parse(String text) {
      String path = text.substring("unix:".length());
      path = path.startsWith("///") ? path.substring(2) : path;
      if (!path.startsWith("/") || path.equals("/") || path.startsWith("//")) {
        throw new IllegalArgumentException(
            "\"" + text + "\" has no absolute path; write it as unix:/run/orders.sock");
      }
      if (path.getBytes(StandardCharsets.UTF_8).length > MAX_PATH) {
        throw new IllegalArgumentException(
            "\"" + text + "\": the path is longer than " + MAX_PATH + " bytes");
      }
      return new Unix(path);
    }

    @Override
    public String toString() {
      return "unix:" + path;
    }
  }

  String LOOPBACK = "127.0.0.1";

  /**
   * Parses {@code PORT} (on 127.0.0.1), {@code HOST:PORT}, {@code [::1]:PORT} or {@code
   * unix:/path}.
   *
   * @throws IllegalArgumentException with the reason, when the text is not a valid address
   */
  static ListenAddress parse(String text) {
    return text.startsWith("unix:") ? Unix.parse(text) : parseTcp(text);
  }

  /** Parses like {@link #parse}, but rejects unix sockets. */
  static Tcp parseTcp(String text) {
    Matcher matcher = Tcp.FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not an address such as 9001, 127.0.0.1:9001 or [::1]:9001");
    }
    String port = matcher.group("port");
    if (port.length() > 5 || Integer.parseInt(port) > 65535) {
      throw new IllegalArgumentException("\"" + text + "\": port " + port + " is above 65535");
    }
    String host = matcher.group("v6") != null ? matcher.group("v6") : matcher.group("host");
    return new Tcp(host == null ? LOOPBACK : host, Integer.parseInt(port));
  }

  /** Whether only one of the two addresses can be bound at a time; false if a port is 0. */
  default boolean collidesWith(ListenAddress other) {
    if (this instanceof Tcp a && other instanceof Tcp b) {
      return a.port() == b.port()
          && a.port() != 0
          && (a.host().equals(b.host())
              || Tcp.WILDCARDS.contains(a.host())
              || Tcp.WILDCARDS.contains(b.host()));
    }
    return equals(other);
  }
}

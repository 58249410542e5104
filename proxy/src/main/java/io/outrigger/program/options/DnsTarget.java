package io.outrigger.program.options;

import io.outrigger.base.AnyThread;
import io.outrigger.base.IpAddress;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.xds.local.DnsResources;
import java.util.regex.Pattern;

/**
 * The target {@code dns:///host:port}: all addresses of a name, without a control plane. The host
 * may be an IP literal, with brackets around IPv6.
 */
@AnyThread
public record DnsTarget(ClusterSource.Dns name) implements Target.Single {
  static final String SCHEME = "dns:";

  private static final int MAX_HOST = 253; // RFC 1035, in text form
  private static final Pattern HOST = Pattern.compile("([A-Za-z0-9_]([A-Za-z0-9_-]*)\\.?)+");
  private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");
  private static final int MAX_PORT = 65_535;

  /**
   * Reads {@code dns:///orders:50051} or, as gRPC does, {@code dns:orders:50051}.
   *
   * @throws IllegalArgumentException with the reason, when {@code text} is not such a target
   */
  static DnsTarget parse(String text) {
    String rest = text.substring(SCHEME.length());
    String path = rest;
    if (rest.startsWith("//")) {
      int slash = rest.indexOf('/', 2);
      String authority = rest.substring(2, slash < 0 ? rest.length() : slash);
      if (slash < 0) {
        throw wrong(text, "did you mean dns:///" + authority + "?");
      }
      require(
          authority.isEmpty(),
          text,
          "a name server in the target is not supported, the system's are used; write it as dns://"
              + rest.substring(slash));
      path = rest.substring(slash);
    }
    return new DnsTarget(hostAndPort(text, path.startsWith("/") ? path.substring(1) : path));
  }

  private static ClusterSource.Dns hostAndPort(String text, String path) {
    require(!path.isEmpty(), text, "it names nothing");
    boolean bracketed = path.startsWith("[");
    int end = bracketed ? path.indexOf(']') + 1 : path.indexOf(':');
    require(!bracketed || end > 0, text, "the ] is missing");
    String host = end < 0 ? path : path.substring(0, end);
    String rest = path.substring(host.length());
    require(
        bracketed || path.indexOf(':') == path.lastIndexOf(':'),
        text,
        "it has several colons; write an IPv6 address in brackets, such as dns:///[::1]:50051");
    require(
        rest.startsWith(":") && rest.length() > 1,
        text,
        "it has no port; add the one that the backends listen on, such as dns:///"
            + host
            + ":50051");
    return new ClusterSource.Dns(
        bracketed ? ip6(text, host) : name(text, host), port(text, rest.substring(1)), false);
  }

  private static String ip6(String text, String host) {
    String inside = host.substring(1, host.length() - 1);
    return IpAddress.canonical(inside)
        .filter(ip -> inside.indexOf(':') >= 0)
        .orElseThrow(() -> wrong(text, inside + " is not an IPv6 address"));
  }

  private static String name(String text, String host) {
    require(
        HOST.matcher(host).matches() && host.length() <= MAX_HOST,
        text,
        "\"" + host + "\" is not a host name");
    return host;
  }

  private static int port(String text, String port) {
    int number = PORT.matcher(port).matches() ? Integer.parseInt(port) : 0;
    require(
        number >= 1 && number <= MAX_PORT,
        text,
        "\"" + port + "\" is not a port from 1 to " + MAX_PORT);
    return number;
  }

  private static void require(boolean holds, String text, String otherwise) {
    if (!holds) {
      throw wrong(text, otherwise);
    }
  }

  private static IllegalArgumentException wrong(String text, String reason) {
    return new IllegalArgumentException(
        "\"" + text + "\" is not a target such as dns:///orders:50051: " + reason);
  }

  @Override
  public String forwardName() {
    return name.toString();
  }

  @Override
  public String dataPlaneAuthority() {
    return name.toString();
  }

  /** Returns the canonical form, {@code dns:///orders:50051}, for every spelling of the target. */
  @Override
  public String toString() {
    return DnsResources.target(name);
  }
}

package io.outrigger.program.options;

import static io.outrigger.program.options.Problems.require;

import io.outrigger.base.AnyThread;
import io.outrigger.base.IpAddress;
import io.outrigger.base.Outcome;
import io.outrigger.base.PlainText;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.ListenerNames;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.xds.kubernetes.ServicePort;
import io.outrigger.xds.local.DnsResources;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The destination of a forward's requests. */
@AnyThread
public sealed interface Target {
  /**
   * Reads {@code xds:///orders}, {@code xds://authority/orders}, {@code xds:///*}, {@code
   * dns:///orders:50051} or {@code k8s:///orders.shop:8080}. Like gRPC, this method also accepts a
   * target without slashes after the scheme.
   *
   * @throws IllegalArgumentException with the reason, when the text is malformed
   */
  static Target parse(String text) {
    if (hasScheme(text, Dns.SCHEME)) {
      return Dns.parse(text);
    }
    return hasScheme(text, Kubernetes.SCHEME) ? Kubernetes.parse(text) : Xds.parse(text);
  }

  private static boolean hasScheme(String text, String scheme) {
    return text.toLowerCase(Locale.ROOT).startsWith(scheme);
  }

  /** Returns the default name of a forward to this target. */
  String forwardName();

  /** Returns the target's in-process xDS server; empty if a control plane serves the target. */
  default Optional<XdsServer> ownServer() {
    return Optional.empty();
  }

  /**
   * Returns the name of the target's Listener; fails when the bootstrap does not contain the xDS
   * authority of the target.
   */
  default Outcome<String> listener(Bootstrap bootstrap) {
    return Outcome.ok(toString());
  }

  /** The target {@code xds:///*}: each request's {@code :authority} names the service. */
  record ByAuthority() implements Target {
    @Override
    public String forwardName() {
      return "*";
    }

    @Override
    public Outcome<String> listener(Bootstrap bootstrap) {
      return ListenerNames.of(bootstrap, Optional.empty(), "*");
    }

    @Override
    public String toString() {
      return "xds:///*";
    }
  }

  /** A target that does not depend on the request. */
  sealed interface Single extends Target {
    /** Returns the {@code :authority} that is sent upstream and matched against virtual hosts. */
    String dataPlaneAuthority();

    @Override
    default String forwardName() {
      return dataPlaneAuthority();
    }
  }

  /**
   * One service of a control plane (A47 "gRPC Client Target URI Syntax").
   *
   * @param authority is the xDS authority of the service; empty for the default authority
   * @param path is the path without the leading slash and without percent-encoding
   */
  record Xds(Optional<String> authority, String path) implements Single {
    private static final String ALLOWED_IN_AUTHORITY = "-._~!$&'()*+,;=:@[]"; // RFC 3986

    private static Target parse(String text) {
      String wrong =
          "\""
              + text
              + "\" is not a target such as xds:///orders, xds://authority/orders,"
              + " dns:///orders:50051 or k8s:///orders.shop:8080";
      URI uri;
      try {
        uri = new URI(text);
      } catch (URISyntaxException e) {
        throw new IllegalArgumentException(wrong + ": " + e.getReason(), e);
      }
      require("xds".equalsIgnoreCase(uri.getScheme()), wrong);
      require(
          uri.getRawQuery() == null && uri.getRawFragment() == null,
          wrong + ": it has a query or a fragment");
      String path = uri.isOpaque() ? uri.getSchemeSpecificPart() : uri.getPath();
      String name = path.startsWith("/") ? path.substring(1) : path;
      Optional<String> authority =
          Optional.ofNullable(uri.getRawAuthority()).filter(a -> !a.isEmpty());
      require(
          !name.isEmpty(),
          wrong
              + authority
                  .map(a -> "; did you mean xds:///" + a + "?")
                  .orElse(": it names nothing"));
      if (!name.equals("*")) {
        return new Xds(authority, name);
      }
      require(authority.isEmpty(), "\"" + text + "\" is not supported; write it as xds:///*");
      return new ByAuthority();
    }

    @Override
    public String dataPlaneAuthority() {
      return PlainText.percentEncoded(
          path,
          c -> c < 0x80 && (Character.isLetterOrDigit(c) || ALLOWED_IN_AUTHORITY.indexOf(c) >= 0));
    }

    @Override
    public String forwardName() {
      return path;
    }

    @Override
    public Outcome<String> listener(Bootstrap bootstrap) {
      return ListenerNames.of(bootstrap, authority, path);
    }

    @Override
    public String toString() {
      return "xds://" + authority.orElse("") + "/" + path;
    }
  }

  /**
   * The target {@code dns:///host:port}: all addresses of a name, without a control plane. The host
   * may be an IP literal, with brackets around IPv6.
   */
  record Dns(ClusterSource.Dns name) implements Single {
    static final String SCHEME = "dns:";

    private static final int MAX_HOST = 253; // RFC 1035: 255 bytes, as text
    private static final Pattern HOST = Pattern.compile("([A-Za-z0-9_]([A-Za-z0-9_-]*)\\.?)+");

    private static Dns parse(String text) {
      String wrong = "\"" + text + "\" is not a target such as dns:///orders:50051: ";
      String path = text.substring(SCHEME.length());
      if (path.startsWith("//")) {
        int slash = path.indexOf('/', 2);
        require(slash >= 0, wrong + "did you mean dns:///" + path.substring(2) + "?");
        path = path.substring(slash);
        require(
            slash == 2,
            wrong
                + "a name server in the target is not supported, the system's are used; write it"
                + " as dns://"
                + path);
      }
      return new Dns(hostAndPort(wrong, path.startsWith("/") ? path.substring(1) : path));
    }

    private static ClusterSource.Dns hostAndPort(String wrong, String path) {
      require(!path.isEmpty(), wrong + "it names nothing");
      boolean bracketed = path.startsWith("[");
      int end = bracketed ? path.indexOf(']') + 1 : path.indexOf(':');
      require(!bracketed || end > 0, wrong + "the ] is missing");
      String host = end < 0 ? path : path.substring(0, end);
      String portPart = path.substring(host.length());
      require(
          bracketed || path.indexOf(':') == path.lastIndexOf(':'),
          wrong
              + "it has several colons; write an IPv6 address in brackets, such as"
              + " dns:///[::1]:50051");
      require(
          portPart.startsWith(":") && portPart.length() > 1,
          wrong
              + "it has no port; add the one that the backends listen on, such as dns:///"
              + host
              + ":50051");
      return new ClusterSource.Dns(
          bracketed ? ip6(wrong, host) : name(wrong, host),
          portNumber(wrong, portPart.substring(1)),
          false);
    }

    private static String ip6(String wrong, String host) {
      String inside = host.substring(1, host.length() - 1);
      Optional<String> ip = IpAddress.canonical(inside).filter(each -> inside.indexOf(':') >= 0);
      return ip.orElseThrow(
          () -> new IllegalArgumentException(wrong + inside + " is not an IPv6 address"));
    }

    private static String name(String wrong, String host) {
      require(
          HOST.matcher(host).matches() && host.length() <= MAX_HOST,
          wrong + "\"" + host + "\" is not a host name");
      return host;
    }

    @Override
    public String dataPlaneAuthority() {
      return name.toString();
    }

    @Override
    public Optional<XdsServer> ownServer() {
      return Optional.of(DnsResources.SERVER);
    }

    /** Returns the target in its canonical form, such as {@code dns:///orders:50051}. */
    @Override
    public String toString() {
      return DnsResources.target(name);
    }
  }

  /**
   * The target {@code k8s:///service.namespace:port}: the endpoints of a Kubernetes Service. The
   * port is a number or a name.
   */
  record Kubernetes(ServicePort port) implements Single {
    static final String SCHEME = "k8s:";

    private static final String LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"; // RFC 1123
    private static final Pattern FORM =
        Pattern.compile("(?i:k8s):(?:///)?(" + LABEL + ")\\.(" + LABEL + "):(" + LABEL + ")");
    private static final Pattern CLUSTER_NAME =
        Pattern.compile("(.*)\\.svc(?:\\.[a-z0-9.-]+)?(:.*)?");
    private static final Pattern NUMBER = Pattern.compile("[0-9]+");

    private static Kubernetes parse(String text) {
      String wrong = "\"" + text + "\" is not a target such as k8s:///orders.shop:8080: ";
      Matcher dnsName = CLUSTER_NAME.matcher(text);
      if (dnsName.matches()) {
        String port = dnsName.group(2) == null ? "" : dnsName.group(2);
        throw new IllegalArgumentException(
            wrong + "leave out what follows the namespace: " + dnsName.group(1) + port);
      }
      Matcher parts = FORM.matcher(text);
      require(
          parts.matches(),
          wrong + "it needs a service, its namespace and a port, each in small letters and digits");
      String port = parts.group(3);
      if (NUMBER.matcher(port).matches()) {
        port = Integer.toString(portNumber(wrong, port));
      }
      return new Kubernetes(new ServicePort(parts.group(1), parts.group(2), port));
    }

    @Override
    public String dataPlaneAuthority() {
      return port.authority();
    }

    @Override
    public Optional<XdsServer> ownServer() {
      return Optional.of(port.server());
    }

    @Override
    public String toString() {
      return port.toString();
    }
  }

  private static int portNumber(String wrong, String port) {
    require(EndpointAddress.isPort(port), wrong + "\"" + port + "\" is not a port from 1 to 65535");
    return Integer.parseInt(port);
  }
}

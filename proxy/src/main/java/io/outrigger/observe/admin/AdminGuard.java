package io.outrigger.observe.admin;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.NetUtil;
import io.outrigger.base.PlainText;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides which requests the admin server accepts. A foreign web page can make a browser on the
 * same host send requests. The Host header reveals DNS rebinding, and the Origin header reveals a
 * cross-site request. A POST must contain JSON, which an HTML form cannot send.
 *
 * @param boundName the host of {@code --admin}: a name or an IP address
 */
record AdminGuard(InetSocketAddress bound, String boundName) {
  /** A Host header (RFC 9110 section 7.2): a host and an optional port, without userinfo. */
  private static final Pattern HOST =
      Pattern.compile("(?<name>\\[[0-9A-Za-z:.%]+\\]|[0-9A-Za-z._-]+)(:[0-9]{1,5})?");

  /**
   * Checks a request that was sent to a server for probes. Returns the reply that rejects the
   * request; empty when the request is accepted. Any client may send probes, so every host name is
   * accepted. The Host header must occur exactly once (RFC 9112 section 3.2); in HTTP/1.0, it may
   * be absent.
   */
  static Optional<AdminReply> probeRefusal(HttpRequest request) {
    int hosts = request.headers().getAll(HttpHeaderNames.HOST).size();
    boolean needsOne = !request.protocolVersion().equals(HttpVersion.HTTP_1_0);
    return hosts > 1 || (hosts == 0 && needsOne)
        ? Optional.of(AdminReply.text(400, "a request has one Host, not " + hosts))
        : Optional.empty();
  }

  /**
   * Checks a request that was sent to the admin server. Returns the reply that rejects the request;
   * empty when the request is accepted.
   */
  Optional<AdminReply> refusal(HttpRequest request) {
    List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
    String host = hosts.size() == 1 ? hosts.get(0) : null;
    String origin = request.headers().get(HttpHeaderNames.ORIGIN);
    if (host == null || !isOwnHost(host)) {
      return Optional.of(
          AdminReply.text(
              403, "Host must be loopback or the host of --admin, not " + quoted(host)));
    }
    if (origin != null && !origin.equalsIgnoreCase("http://" + host)) {
      return Optional.of(
          AdminReply.text(
              403,
              "Origin "
                  + quoted(origin)
                  + " is not this admin server; use its own page, or send no Origin"));
    }
    if (request.method().equals(HttpMethod.POST) && !isJson(request)) {
      return Optional.of(AdminReply.text(415, "POST needs content-type: application/json"));
    }
    return Optional.empty();
  }

  /**
   * Whether a host is loopback, the bound address or the host of {@code --admin}. A server that is
   * bound to all addresses accepts any IP literal, but no other names, since DNS rebinding needs a
   * name.
   */
  private boolean isOwnHost(String host) {
    Matcher parts = HOST.matcher(host);
    if (!parts.matches()) {
      return false;
    }
    String name = parts.group("name");
    String unzoned = name.replaceFirst("%[^]]*", ""); // the zone only tells which link to use
    InetAddress literal = NetUtil.createInetAddressFromIpAddressString(unzoned);
    InetAddress address = bound.getAddress();
    return literal == null
        ? name.equalsIgnoreCase("localhost") || name.equalsIgnoreCase(boundName)
        : literal.isLoopbackAddress()
            || (address != null && (address.isAnyLocalAddress() || address.equals(literal)));
  }

  private static boolean isJson(HttpRequest request) {
    CharSequence type = HttpUtil.getMimeType(request);
    return type != null && type.toString().strip().equalsIgnoreCase("application/json");
  }

  /** Returns a client's text in a form that is safe in a reply: short, printable ASCII. */
  static String quoted(@Nullable String value) {
    if (value == null) {
      return "absent";
    }
    return '"' + PlainText.shortened(value.replaceAll("[^\\x20-\\x7e]", "?"), 100) + '"';
  }
}

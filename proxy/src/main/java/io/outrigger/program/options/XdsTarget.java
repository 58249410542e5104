package io.outrigger.program.options;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;

/** A target that a control plane serves (A47 "gRPC Client Target URI Syntax"). */
public sealed interface XdsTarget extends Target {
  /**
   * One service.
   *
   * @param authority the xDS authority whose control plane serves the service; empty for the
   *     default one
   * @param path the path, without the leading slash and without percent-encoding
   */
  record Service(Optional<String> authority, String path) implements XdsTarget, Target.Single {
    @Override
    public String forwardName() {
      return path;
    }

    @Override
    public String dataPlaneAuthority() {
      return path.replace("/", "%2F");
    }

    @Override
    public String toString() {
      return "xds://" + authority.orElse("") + "/" + path;
    }
  }

  /** The target {@code xds:///*}: each request's {@code :authority} names the service. */
  record ByAuthority() implements XdsTarget {
    @Override
    public String toString() {
      return "xds:///*";
    }
  }

  /**
   * Reads {@code xds:///orders}, {@code xds://authority/orders}, {@code xds:///*} or, as gRPC does,
   * {@code xds:orders}.
   *
   * @throws IllegalArgumentException with the reason, when {@code text} is none of these
   */
  static XdsTarget parse(String text) {
    String wrong =
        "\""
            + text
            + "\" is not a target such as xds:///orders, xds://authority/orders, dns:///orders:50051 or"
            + " k8s:///orders.shop:8080";
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(wrong + ": " + e.getReason(), e);
    }
    if (uri.getScheme() == null || !uri.getScheme().toLowerCase(Locale.ROOT).equals("xds")) {
      throw new IllegalArgumentException(wrong);
    }
    if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
      throw new IllegalArgumentException(wrong + ": it has a query or a fragment");
    }
    String path = uri.isOpaque() ? uri.getSchemeSpecificPart() : uri.getPath();
    String name = path.startsWith("/") ? path.substring(1) : path;
    Optional<String> authority =
        Optional.ofNullable(uri.getRawAuthority()).filter(a -> !a.isEmpty());
    if (name.isEmpty()) {
      throw new IllegalArgumentException(
          wrong
              + authority
                  .map(a -> "; did you mean xds:///" + a + "?")
                  .orElse(": it names nothing"));
    }
    if (!name.equals("*")) {
      return new Service(authority, name);
    }
    if (authority.isPresent()) {
      throw new IllegalArgumentException("\"" + text + "\" is not supported; write it as xds:///*");
    }
    return new ByAuthority();
  }
}

package io.outrigger.config.bootstrap;

import io.outrigger.base.Outcome;
import io.outrigger.base.PlainText;
import io.outrigger.base.RpcStatus;
import java.util.Optional;

/**
 * Computes the name of the Listener resource for an xDS target (A47 "gRPC Client Target URI
 * Syntax") or for a server's listening address (A36 "xDS Protocol").
 */
public final class ListenerNames {
  private static final String NEW_STYLE = "xdstp:";
  private static final String SERVER_TEMPLATE = "server_listener_resource_name_template";

  /** The characters besides letters and digits that RFC 3986 section 3.3 allows in a path. */
  private static final String ALLOWED_IN_PATH = "-._~!$&'()*+,;=:@/";

  private ListenerNames() {}

  /**
   * Returns the Listener resource's name for {@code xds:///path} or {@code xds://authority/path}.
   * Fails if the bootstrap does not define the authority of the name. {@code path} is
   * percent-decoded and has no leading slash.
   */
  public static Outcome<String> of(Bootstrap bootstrap, Optional<String> authority, String path) {
    if (authority.isPresent()) {
      return ofAuthority(bootstrap, authority.get(), path);
    }
    return expandKnown(
        bootstrap,
        "client_default_listener_resource_name_template",
        bootstrap.listenerNameTemplate(),
        path);
  }

  /**
   * Returns the name of the Listener resource for a server with the listening address {@code
   * listen}, such as {@code [::]:8080}. Fails if the bootstrap lacks a template of server listener
   * names, or the authority that the template contains.
   */
  public static Outcome<String> ofServer(Bootstrap bootstrap, String listen) {
    return bootstrap
        .serverListenerNameTemplate()
        .map(template -> expandKnown(bootstrap, SERVER_TEMPLATE, template, listen))
        .orElseGet(
            () ->
                Outcome.failed(
                    RpcStatus.unavailable(
                        SERVER_TEMPLATE
                            + ": is missing in the bootstrap; add the template that the control"
                            + " plane expects, such as \"xds.istio.io/grpc/lds/inbound/%s\"")));
  }

  private static Outcome<String> expandKnown(
      Bootstrap bootstrap, String field, String template, String path) {
    String name = expand(template, path);
    if (name.startsWith(NEW_STYLE) && !bootstrap.authorities().containsKey(authorityOf(name))) {
      return Outcome.failed(
          RpcStatus.unavailable(field + ": " + unknown(bootstrap, authorityOf(name))));
    }
    return Outcome.ok(name);
  }

  private static Outcome<String> ofAuthority(Bootstrap bootstrap, String authority, String path) {
    Bootstrap.Authority known = bootstrap.authorities().get(authority);
    if (known == null) {
      return Outcome.failed(RpcStatus.unavailable(unknown(bootstrap, authority)));
    }
    String template =
        known
            .listenerNameTemplate()
            .orElse("xdstp://" + authority + "/envoy.config.listener.v3.Listener/%s");
    return Outcome.ok(expand(template, path));
  }

  private static String unknown(Bootstrap bootstrap, String authority) {
    return "authority \"%s\" is not among the bootstrap's authorities %s; add it there"
        .formatted(authority, bootstrap.authorities().keySet().stream().sorted().toList());
  }

  private static String expand(String template, String path) {
    String text =
        template.startsWith(NEW_STYLE)
            ? PlainText.percentEncoded(path, ListenerNames::isAllowedInPath)
            : path;
    return template.replace("%s", text);
  }

  private static String authorityOf(String name) {
    String path = name.substring(NEW_STYLE.length());
    if (!path.startsWith("//")) {
      return "";
    }
    int end = path.indexOf('/', 2);
    return end < 0 ? path.substring(2) : path.substring(2, end);
  }

  private static boolean isAllowedInPath(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || ALLOWED_IN_PATH.indexOf(c) >= 0;
  }
}

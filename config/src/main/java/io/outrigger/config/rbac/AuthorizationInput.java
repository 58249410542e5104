package io.outrigger.config.rbac;

import io.outrigger.base.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a request and of its connection that RBAC reads (A41). Texts have the form of
 * {@link io.outrigger.config.route.WireText}.
 */
public interface AuthorizationInput {
  /** Returns the {@code :path} as received, including the query. */
  String path();

  default String urlPath() {
    return withoutQuery(path());
  }

  static String withoutQuery(String path) {
    int end = path.indexOf('?');
    String head = end < 0 ? path : path.substring(0, end);
    int fragment = head.indexOf('#');
    return fragment < 0 ? head : head.substring(0, fragment);
  }

  /**
   * Returns the value of a header as received, with several values joined by {@code ","}; null if
   * the header is absent. In RBAC, {@code :path}, {@code :method}, {@code :authority} and names
   * that end in {@code -bin} count as headers; in routes, they do not. If a request lacks {@code
   * :authority}, its header {@code host} counts as {@code :authority}.
   *
   * @param name the header's name in lower case; callers never pass {@code host}
   */
  @Nullable String header(String name);

  Connection connection();

  /** The connection of a request; {@code peerAddress} is never taken from headers. */
  record Connection(
      PeerIdentity peer, IpAddress peerAddress, IpAddress localAddress, int localPort) {}
}

package io.outrigger.config.endpoint;

import java.util.Optional;

/**
 * A literal IP address and a port.
 *
 * @param ip in canonical text form, IPv6 without brackets
 * @param port 1 to 65535
 * @param proxy who is asked to CONNECT there (A86); empty for a direct connection
 */
public record EndpointAddress(String ip, int port, Optional<EndpointAddress> proxy) {
  /** An address that is connected to directly. */
  public EndpointAddress(String ip, int port) {
    this(ip, port, Optional.empty());
  }

  /** The same behind {@code proxy}. */
  public EndpointAddress through(EndpointAddress proxy) {
    return new EndpointAddress(ip, port, Optional.of(proxy));
  }

  /** The same without a proxy. */
  public EndpointAddress direct() {
    return proxy.isEmpty() ? this : new EndpointAddress(ip, port);
  }

  /** {@code ip:port} or {@code [ip6]:port}. */
  @Override
  public String toString() {
    return ip.indexOf(':') >= 0 ? "[" + ip + "]:" + port : ip + ":" + port;
  }
}

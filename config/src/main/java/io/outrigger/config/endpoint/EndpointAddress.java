package io.outrigger.config.endpoint;

/**
 * A literal IP address and a port.
 *
 * @param ip in canonical text form, IPv6 without brackets
 * @param port 1 to 65535
 */
public record EndpointAddress(String ip, int port) {
  /** {@code ip:port} or {@code [ip6]:port}. */
  @Override
  public String toString() {
    return ip.indexOf(':') >= 0 ? "[" + ip + "]:" + port : ip + ":" + port;
  }
}

package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.outrigger.base.IpLiteral;
import io.outrigger.config.endpoint.EndpointAddress;
import java.util.Optional;
import java.util.OptionalInt;

/** {@code Address}: a socket address, for endpoints with a literal IP (A27). */
final class AddressDecoder {
  private AddressDecoder() {}

  /** The address of an endpoint. */
  static Optional<EndpointAddress> endpoint(Address proto, FieldErrors errors) {
    if (!requireSocketAddress(proto, errors)) {
      return Optional.empty();
    }
    FieldErrors here = errors.at("socket_address");
    SocketAddress socket = proto.getSocketAddress();
    OptionalInt port = port(socket, here);
    Optional<String> ip = IpLiteral.canonical(socket.getAddress());
    if (ip.isEmpty()) {
      here.at("address")
          .add(
              quoted(socket.getAddress())
                  + " is not an IP address; use a LOGICAL_DNS cluster for names");
    }
    if (ip.isEmpty() || port.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(new EndpointAddress(ip.get(), port.getAsInt()));
  }

  static boolean requireSocketAddress(Address proto, FieldErrors errors) {
    if (proto.hasSocketAddress()) {
      return true;
    }
    errors.add("socket_address is missing; no other form is supported");
    return false;
  }

  /** {@code port_value}, between 1 and 65535. */
  static OptionalInt port(SocketAddress proto, FieldErrors errors) {
    FieldErrors here = errors.at("port_value");
    if (proto.getPortSpecifierCase() != SocketAddress.PortSpecifierCase.PORT_VALUE) {
      here.add("is missing");
      return OptionalInt.empty();
    }
    int port = proto.getPortValue();
    if (port < 1 || port > 65_535) {
      here.add(Integer.toUnsignedString(port) + " is not between 1 and 65535");
      return OptionalInt.empty();
    }
    return OptionalInt.of(port);
  }
}

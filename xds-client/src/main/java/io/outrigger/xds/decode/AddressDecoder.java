package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.outrigger.base.CidrRange;
import io.outrigger.base.IpAddress;
import io.outrigger.config.endpoint.EndpointAddress;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Decodes {@code Address}, which must be a socket address (A27). */
final class AddressDecoder {
  static final String PROXY_KEY = "envoy.http11_proxy_transport_socket.proxy_address";
  static final String PROXY_TYPE = "envoy.config.core.v3.Address";

  private AddressDecoder() {}

  /**
   * Decodes the address of an endpoint. An address without a valid port is left out and is no error
   * (decision xds-0068).
   */
  static Optional<EndpointAddress> endpoint(Address proto, FieldErrors errors) {
    return address(proto, errors, errors.leavingOut("the address"));
  }

  /**
   * Decodes the HTTP proxy in the metadata of an endpoint or locality (A86). An invalid address is
   * an error under any key, because A83 "xDS Cluster Metadata" parses entries by type.
   */
  static Optional<EndpointAddress> proxy(WireMetadata metadata, FieldErrors errors) {
    Optional<EndpointAddress> proxy = Optional.empty();
    for (Map.Entry<String, Any> entry : metadata.typed().entrySet()) {
      Any any = entry.getValue();
      if (TypedConfig.typeName(any.getTypeUrl()).equals(PROXY_TYPE)) {
        FieldErrors here = errors.at("typed_filter_metadata", entry.getKey());
        Optional<EndpointAddress> decoded =
            TypedConfig.read(any, Address.getDefaultInstance(), here)
                .flatMap(address -> address(address, here, here)); // the port is required (A86)
        if (entry.getKey().equals(PROXY_KEY)) {
          proxy = decoded;
        }
      }
    }
    return proxy;
  }

  private static Optional<EndpointAddress> address(
      Address proto, FieldErrors errors, FieldErrors portErrors) {
    if (!requireSocketAddress(proto, errors)) {
      return Optional.empty();
    }
    SocketAddress socket = proto.getSocketAddress();
    Optional<String> ip = ip(socket, errors.at("socket_address"));
    OptionalInt port = port(socket, portErrors.at("socket_address"));
    return port.isPresent()
        ? ip.map(literal -> new EndpointAddress(literal, port.getAsInt()))
        : Optional.empty();
  }

  private static Optional<String> ip(SocketAddress socket, FieldErrors here) {
    Optional<String> ip = IpAddress.canonical(socket.getAddress());
    if (ip.isEmpty()) {
      here.at("address")
          .add(
              quoted(socket.getAddress())
                  + " is not an IP address; use a LOGICAL_DNS cluster for names");
    }
    return ip;
  }

  /**
   * Decodes a range of addresses. An absent {@code prefix_len} means 0. A prefix longer than the
   * address means a range of this single address (A36).
   */
  static Optional<CidrRange> range(
      io.envoyproxy.envoy.config.core.v3.CidrRange proto, FieldErrors errors) {
    long length = Integer.toUnsignedLong(proto.getPrefixLen().getValue());
    Optional<CidrRange> range =
        CidrRange.of(proto.getAddressPrefix(), (int) Math.min(length, CidrRange.MAX_LENGTH));
    if (range.isEmpty()) {
      errors.at("address_prefix").add(quoted(proto.getAddressPrefix()) + " is not an IP address");
    }
    return range;
  }

  static boolean requireSocketAddress(Address proto, FieldErrors errors) {
    if (proto.hasSocketAddress()) {
      return true;
    }
    errors.add("socket_address is missing; no other form is supported");
    return false;
  }

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

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

  /** Decodes an endpoint's address; omits an address without a valid port (decision xds-0068). */
  static Optional<EndpointAddress> endpoint(Address proto, FieldErrors errors) {
    return address(proto, false, errors);
  }

  /**
   * Decodes the HTTP proxy in the metadata of an endpoint or locality (A86). An invalid address is
   * an error under any key, because A83 "xDS Cluster Metadata" parses entries by type, not by key.
   */
  static Optional<EndpointAddress> proxy(WireMetadata metadata, FieldErrors errors) {
    Optional<EndpointAddress> proxy = Optional.empty();
    for (Map.Entry<String, Any> entry : metadata.typed().entrySet()) {
      Any any = entry.getValue();
      if (TypedConfig.typeName(any.getTypeUrl()).equals(PROXY_TYPE)) {
        FieldErrors here = errors.at("typed_filter_metadata", entry.getKey());
        Optional<EndpointAddress> decoded =
            TypedConfig.read(any, Address.getDefaultInstance(), here)
                .flatMap(address -> address(address, true, here)); // the port is required (A86)
        if (entry.getKey().equals(PROXY_KEY)) {
          proxy = decoded;
        }
      }
    }
    return proxy;
  }

  private static Optional<EndpointAddress> address(
      Address proto, boolean isPortRequired, FieldErrors errors) {
    if (!requireSocketAddress(proto, errors)) {
      return Optional.empty();
    }
    SocketAddress socket = proto.getSocketAddress();
    FieldErrors here = errors.at("socket_address");
    Optional<String> ip = ip(socket, here);
    if (!isPortRequired && !hasPort(socket)) {
      here.at("port_value").ignore(whyNoPort(socket) + "; the address is left out");
      return Optional.empty();
    }
    OptionalInt port = port(socket, here);
    return port.isPresent() && ip.isPresent() // for each endpoint, so no lambda
        ? Optional.of(new EndpointAddress(ip.get(), port.getAsInt()))
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
   * address selects only this address (A36).
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
    if (!hasPort(proto)) {
      errors.at("port_value").add(whyNoPort(proto));
      return OptionalInt.empty();
    }
    return OptionalInt.of(proto.getPortValue());
  }

  private static boolean hasPort(SocketAddress proto) {
    return EndpointAddress.isPort(proto.getPortValue());
  }

  private static String whyNoPort(SocketAddress proto) {
    return proto.getPortSpecifierCase() == SocketAddress.PortSpecifierCase.PORT_VALUE
        ? Integer.toUnsignedString(proto.getPortValue()) + " is not between 1 and 65535"
        : "is missing";
  }
}

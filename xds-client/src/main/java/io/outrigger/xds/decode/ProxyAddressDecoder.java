package io.outrigger.xds.decode;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.outrigger.config.endpoint.EndpointAddress;
import java.util.Optional;

/** Decodes the metadata entry that names the proxy of an endpoint or of a whole locality (A86). */
final class ProxyAddressDecoder {
  static final String KEY = "envoy.http11_proxy_transport_socket.proxy_address";
  static final String ADDRESS = "envoy.config.core.v3.Address";

  private ProxyAddressDecoder() {}

  /**
   * Returns the address of the proxy. The result is empty if the entry is missing or has another
   * type. An invalid address also gives an empty result, and the reason is added to {@code errors}.
   */
  static Optional<EndpointAddress> decode(WireMetadata metadata, FieldErrors errors) {
    Any any = metadata.typed().get(KEY);
    if (any == null || !TypedConfig.typeName(any.getTypeUrl()).equals(ADDRESS)) {
      return Optional.empty();
    }
    FieldErrors here = errors.at("typed_filter_metadata", KEY);
    return TypedConfig.read(any, Address.getDefaultInstance(), here)
        .flatMap(address -> AddressDecoder.proxy(address, here));
  }
}

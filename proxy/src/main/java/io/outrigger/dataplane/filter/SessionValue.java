package io.outrigger.dataplane.filter;

import io.outrigger.config.endpoint.EndpointAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The content of a session cookie (A60 "Include Cluster Name in the Cookie", A75): {@code
 * addr[,addr…];cluster} in base64.
 *
 * @param addresses the addresses of one endpoint, with the used address first; never empty
 * @param cluster the cluster; empty in cookies as in A55, which name no cluster
 */
record SessionValue(List<EndpointAddress> addresses, String cluster) {
  /**
   * The maximum number of addresses of an endpoint. Further addresses in a cookie are ignored
   * (decision proxy-0012).
   */
  static final int MAX_ADDRESSES = 64;

  SessionValue {
    addresses = List.copyOf(addresses);
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException("a session without address");
    }
  }

  /** Decodes a cookie's value; empty when it is not base64 or contains no address (A55-03). */
  static Optional<SessionValue> decode(String text) {
    String value;
    try {
      value = new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
    int semicolon = value.indexOf(';');
    List<EndpointAddress> addresses =
        addresses(semicolon < 0 ? value : value.substring(0, semicolon));
    String cluster = semicolon < 0 ? "" : value.substring(semicolon + 1);
    return addresses.isEmpty()
        ? Optional.empty()
        : Optional.of(new SessionValue(addresses, cluster));
  }

  String encode() {
    String list =
        addresses.stream().map(EndpointAddress::toString).collect(Collectors.joining(","));
    byte[] value = (list + ";" + cluster).getBytes(StandardCharsets.UTF_8);
    return Base64.getEncoder().encodeToString(value);
  }

  private static List<EndpointAddress> addresses(String list) {
    return Stream.of(list.split(",", MAX_ADDRESSES + 1))
        .limit(MAX_ADDRESSES)
        .flatMap(text -> EndpointAddress.parse(text).stream())
        .toList();
  }
}

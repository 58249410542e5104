package io.outrigger.xds.local;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.outrigger.base.IpAddress;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.ResourceDecoder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * @param name the name that the content of the resource has
 * @param steps the path to the resource in its document
 */
record NamedResource(
    ResourceType<?> type, String name, Any resource, Path file, List<String> steps) {
  static Optional<NamedResource> of(Any resource, Path file, List<String> steps) {
    return ResourceType.ALL.stream()
        .filter(type -> type.typeUrl().equals(resource.getTypeUrl()))
        .findFirst()
        .flatMap(
            type ->
                ResourceDecoder.nameOf(resource.getValue())
                    .map(name -> new NamedResource(type, name, resource, file, steps)));
  }

  /**
   * Returns the name of the Listener that has the given socket address, such as {@code
   * 10.1.2.3:8080}. A process without a bootstrap requests its Listener by address, not by name.
   */
  static Optional<String> listenerAt(String listen, Map<String, Any> listeners) {
    Optional<EndpointAddress> wanted =
        EndpointAddress.parse(listen).flatMap(NamedResource::canonical);
    // To save time, parses Listeners only if the name is an address: apps may request many names.
    Map<String, Any> candidates = wanted.isPresent() ? listeners : Map.of();
    return candidates.entrySet().stream()
        .filter(
            each ->
                serverListener(each.getValue()).flatMap(NamedResource::addressOf).equals(wanted))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  static Any renamed(Any listener, String name) {
    return serverListener(listener)
        .map(found -> Any.pack(found.toBuilder().setName(name).build()))
        .orElseThrow();
  }

  /** Returns the address of a server's Listener; empty for other resources, and for port 0. */
  Optional<EndpointAddress> servedAddress() {
    return type.equals(ResourceType.LISTENER)
        ? serverListener(resource).flatMap(NamedResource::addressOf).filter(at -> at.port() != 0)
        : Optional.empty();
  }

  /** Returns empty for a Listener of clients, and for an unreadable message. */
  private static Optional<Listener> serverListener(Any any) {
    try {
      return Optional.of(Listener.parseFrom(any.getValue())).filter(each -> !each.hasApiListener());
    } catch (InvalidProtocolBufferException e) {
      return Optional.empty();
    }
  }

  private static Optional<EndpointAddress> addressOf(Listener listener) {
    SocketAddress socket = listener.getAddress().getSocketAddress();
    return canonical(new EndpointAddress(socket.getAddress(), socket.getPortValue()));
  }

  private static Optional<EndpointAddress> canonical(EndpointAddress address) {
    return IpAddress.canonical(address.ip()).map(ip -> new EndpointAddress(ip, address.port()));
  }

  String subject() {
    return type.subject(name);
  }
}

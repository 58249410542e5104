package io.outrigger.xds.local;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.outrigger.base.AnyThread;
import io.outrigger.base.IpAddress;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.ResourceDecoder;
import java.util.List;
import java.util.Optional;

/**
 * A resource, together with the name that its content contains.
 *
 * @param steps the path to the resource in its document
 */
@AnyThread
record NamedResource(ResourceType<?> type, String name, Any resource, List<String> steps) {
  static Optional<NamedResource> of(Any resource, List<String> steps) {
    return ResourceType.ALL.stream()
        .filter(type -> type.typeUrl().equals(resource.getTypeUrl()))
        .findFirst()
        .flatMap(
            type ->
                ResourceDecoder.nameOf(type, resource.getValue())
                    .map(name -> new NamedResource(type, name, resource, steps)));
  }

  /**
   * Finds the Listener whose socket address is {@code listen}, such as {@code 10.1.2.3:8080}, and
   * returns a copy with this name, because without a bootstrap a served address has no other name.
   */
  static Optional<Any> listenerAt(String listen, Iterable<Any> listeners) {
    Optional<EndpointAddress> wanted =
        EndpointAddress.parse(listen).flatMap(NamedResource::canonical);
    for (Any any : wanted.isPresent() ? listeners : List.<Any>of()) {
      Optional<Listener> found = server(any).filter(each -> addressOf(each).equals(wanted));
      if (found.isPresent()) {
        return Optional.of(Any.pack(found.get().toBuilder().setName(listen).build()));
      }
    }
    return Optional.empty();
  }

  /** Returns the address if this is the Listener of a server and has a port other than 0. */
  Optional<EndpointAddress> servedAddress() {
    return type.equals(ResourceType.LISTENER)
        ? server(resource).flatMap(NamedResource::addressOf).filter(at -> at.port() != 0)
        : Optional.empty();
  }

  /**
   * Returns the Listener of a server; empty for a Listener of clients, whose address has no
   * meaning. Also returns empty for an unreadable message, which the decoder rejects.
   */
  private static Optional<Listener> server(Any any) {
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

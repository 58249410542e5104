package io.outrigger.xds.state;

import io.outrigger.base.Xxh64;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.XdsServer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The bootstrap under which resources were received. A process with another bootstrap does not use
 * these resources, because its control planes could send others.
 *
 * @param fingerprint a hash of the bootstrap, which reveals no value of the node's metadata
 */
public record StateOrigin(String node, String servers, String fingerprint) {
  public static StateOrigin of(Bootstrap bootstrap) {
    var node = bootstrap.node();
    List<Object> parts =
        List.of(
            bootstrap.servers(),
            List.of(node.id(), node.cluster(), node.locality(), node.metadata()),
            bootstrap.authorities(),
            bootstrap.certificateProviders(),
            bootstrap.listenerNameTemplate(),
            bootstrap.serverListenerNameTemplate());
    return new StateOrigin(
        node.id(),
        bootstrap.allServers().stream()
            .map(XdsServer::uri)
            .sorted() // the order differs between processes
            .collect(Collectors.joining(", ")),
        HexFormat.of().toHexDigits(Xxh64.hash(inOrder(parts).toString())));
  }

  /** Sorts all maps in a value, because the order of maps differs between processes. */
  private static Object inOrder(Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<String, Object> sorted = new TreeMap<>();
      map.forEach((name, each) -> sorted.put(String.valueOf(name), inOrder(each)));
      return sorted;
    }
    return value instanceof List<?> list ? list.stream().map(StateOrigin::inOrder).toList() : value;
  }

  /** Returns the first difference from another origin as an error text; empty if there is none. */
  Optional<String> differenceFrom(StateOrigin other) {
    if (!node.equals(other.node)) {
      return Optional.of("is of node \"%s\", and this is node \"%s\"".formatted(node, other.node));
    }
    if (!servers.equals(other.servers)) {
      return Optional.of(
          "is of the control planes %s, and the bootstrap has %s"
              .formatted(servers, other.servers));
    }
    return fingerprint.equals(other.fingerprint)
        ? Optional.empty()
        : Optional.of("is of another bootstrap");
  }
}

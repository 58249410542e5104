package io.outrigger.config.listener;

import io.outrigger.base.IpAddress;
import io.outrigger.config.overlay.OverlayEffect;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * A Listener resource for servers: a socket address, and the settings of its connections (A36).
 *
 * @param host the address to listen on, in canonical form if it is an IP address
 * @param port the port to listen on; 0 for any port
 * @param chains the filter chains, without duplicates (see {@link FilterChainMatch#duplicates})
 * @param defaultChain the chain for connections that match no other chain
 */
public record SocketListener(
    String name,
    String host,
    int port,
    List<ServerFilterChain> chains,
    Optional<ServerFilterChain> defaultChain)
    implements ListenerResource {
  public SocketListener {
    chains = List.copyOf(chains);
  }

  /**
   * Whether a server at {@code listenHost}, an IP address in canonical form, uses this resource.
   */
  public boolean isFor(String listenHost, int listenPort) {
    return host.equals(listenHost) && (port == listenPort || port == 0);
  }

  /**
   * Returns the filter chain of a connection. The local address must not be a wildcard. If no chain
   * matches, the connection must be closed before any byte is sent.
   */
  public Optional<ServerFilterChain> chainFor(IpAddress local, IpAddress peer, int peerPort) {
    return FilterChainMatch.best(chains, local, peer, peerPort).or(() -> defaultChain);
  }

  @Override
  public void visitEffects(BiConsumer<String, OverlayEffect> visitor) {
    chains.forEach(chain -> visit(chain, visitor));
    defaultChain.ifPresent(chain -> visit(chain, visitor));
  }

  private static void visit(ServerFilterChain chain, BiConsumer<String, OverlayEffect> visitor) {
    if (chain.routes() instanceof RouteSource.Inline inline) {
      inline.table().visitEffects(visitor);
    }
  }
}

package io.outrigger.dataplane.serve;

import io.outrigger.base.IpAddress;
import io.outrigger.base.Outcome;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.route.RouteTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One version of the Listener of a {@code --serve}.
 *
 * @param chains the chains in the order of the Listener, then the default chain, if any
 */
record ServedConfig(SocketListener listener, List<ServedChain> chains) {
  static ServedConfig of(
      SocketListener listener, Function<ServerFilterChain, ServedChain> makeChain) {
    List<ServerFilterChain> all = new ArrayList<>(listener.chains());
    listener.defaultChain().ifPresent(all::add);
    return new ServedConfig(listener, all.stream().map(makeChain).toList());
  }

  void routes(Function<ServerFilterChain, Outcome<RouteTable>> routes) {
    chains.forEach(chain -> chain.routes(routes.apply(chain.config())));
  }

  /** The filter chain of a connection; null when no chain matches. */
  @SuppressWarnings("ReferenceEquality") // the chains are the Listener's own objects
  @Nullable ServedChain chainFor(IpAddress local, IpAddress peer, int peerPort) {
    ServerFilterChain match = listener.chainFor(local, peer, peerPort).orElse(null);
    return chains.stream().filter(chain -> chain.config() == match).findFirst().orElse(null);
  }

  /** Whether the attempt to build the first TLS context is over for every chain. */
  boolean isReady() {
    return chains.stream().allMatch(chain -> chain.ready().isDone());
  }

  /** Returns why some chain refuses all connections; empty when every chain is usable. */
  Optional<String> problem() {
    return chains.stream()
        .filter(chain -> chain.ready().isDone())
        .filter(chain -> chain.config().tls().isPresent() && !chain.tls().isOk())
        .map(chain -> chain.tls().status().message())
        .findFirst();
  }

  void close() {
    chains.forEach(ServedChain::close);
  }
}

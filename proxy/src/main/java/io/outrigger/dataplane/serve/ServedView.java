package io.outrigger.dataplane.serve;

import io.outrigger.base.AnyThread;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * A served port at one moment, for status views.
 *
 * @param error why requests fail; empty when they do not, as far as is known
 * @param chains the filter chains of new connections; empty while nothing is served
 * @param connections the number of open connections, old ones included
 */
@AnyThread
public record ServedView(
    String name,
    InetSocketAddress listen,
    ServedListener.State state,
    Optional<String> error,
    List<Chain> chains,
    int connections) {
  public ServedView {
    chains = List.copyOf(chains);
  }

  /**
   * A filter chain.
   *
   * @param clientCertificate whether clients without a certificate are refused
   */
  public record Chain(String name, boolean tls, boolean clientCertificate, List<String> filters) {
    public Chain {
      filters = List.copyOf(filters);
    }
  }
}

package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import io.outrigger.xds.status.XdsStatusView;
import io.outrigger.xds.stream.AdsClients;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The bootstrap and the clients of its control planes, once they are known: the file may come after
 * the ports were opened. Until then there is nobody to ask and nothing to show.
 */
@AnyThread
final class ControlPlanes {
  private static final Node NOBODY = new Node("", "", new Locality("", "", ""), Map.of());

  /** Which control planes there are, and who asks them. */
  record Known(ConfigSource source, AdsClients clients) {
    Bootstrap bootstrap() {
      return source.bootstrap();
    }
  }

  private volatile @Nullable Known known;

  /** There is a bootstrap, from now on; once. */
  void become(Known found) {
    known = found;
  }

  Optional<Known> known() {
    return Optional.ofNullable(known);
  }

  /** Who we are to them. */
  Node node() {
    return known().map(Known::bootstrap).map(Bootstrap::node).orElse(NOBODY);
  }

  /** What is known now. On the control loop. */
  XdsStatusView status() {
    return known()
        .map(Known::clients)
        .map(AdsClients::status)
        .orElseGet(() -> new XdsStatusView(List.of()));
  }
}

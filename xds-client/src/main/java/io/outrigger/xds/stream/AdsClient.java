package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.cache.CacheEntry.Held;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.status.XdsStatusView;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The xDS client of a process: one ADS stream to the first server of the bootstrap, shared by all
 * watchers (A57-37). It connects with the first watch.
 *
 * <p>Everything that belongs to one server is behind its {@link StreamSupervisor}; this class only
 * chooses the supervisor, which is where a choice by authority (A47) or by fall-back (A71) goes.
 */
@ControlConfined
public final class AdsClient implements XdsClient {
  private static final Logger log = LoggerFactory.getLogger(AdsClient.class);

  private final ControlLoop loop;
  private final StreamSupervisor supervisor;

  /**
   * May be called on any thread; everything else on {@code loop}.
   *
   * @param version of this program, told to the control plane
   * @param decoder such as {@code ResourceDecoder::decode}
   * @param transports makes the transport to a server; its exceptions pass through
   * @param observer besides the log
   */
  public AdsClient(
      ControlLoop loop,
      RandomSource random,
      Bootstrap bootstrap,
      String version,
      ResponseDecoder decoder,
      Function<XdsServer, AdsTransport> transports,
      AdsObserver observer) {
    this.loop = loop;
    XdsServer server = bootstrap.servers().get(0);
    if (bootstrap.servers().size() > 1 || !bootstrap.authorities().isEmpty()) {
      log.warn(
          "bootstrap: only the first xDS server, {}, is used; fall-back servers and authorities"
              + " are not supported yet",
          server.uri());
    }
    supervisor =
        new StreamSupervisor(
            loop,
            random,
            server,
            transports.apply(server),
            NodeMessage.of(bootstrap.node(), version),
            decoder,
            new DecodeContext(server.features(), bootstrap.certificateProviders().keySet()),
            observer);
  }

  @Override
  public <T> Watch watch(ResourceType<T> type, String name, ResourceWatcher<T> watcher) {
    loop.checkInside();
    return supervisor.subscriptions().watch(type, name, watcher);
  }

  /** What is known now. */
  public XdsStatusView status() {
    loop.checkInside();
    return new XdsStatusView(
        List.of(supervisor.status()),
        supervisor.subscriptions().all().stream().map(AdsClient::view).toList());
  }

  /** Ends the stream and releases the transport; watchers hear nothing more. */
  public void close() {
    loop.checkInside();
    supervisor.close();
  }

  private static <T> XdsStatusView.Resource view(Subscription<T> subscription) {
    var entry = subscription.entry();
    return new XdsStatusView.Resource(
        subscription.type().label(),
        subscription.type().typeUrl(),
        subscription.name(),
        entry.state().label(),
        entry.held().map(Held::version).orElse(""),
        entry.held().map(Held::at),
        entry.held().map(Held::raw),
        entry
            .dataError()
            .map(
                error ->
                    new XdsStatusView.ResourceError(
                        error.version(),
                        error.status(),
                        error.refused(),
                        error.at(),
                        error.count())),
        entry.streamError());
  }
}

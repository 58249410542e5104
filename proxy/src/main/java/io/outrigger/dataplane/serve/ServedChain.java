package io.outrigger.dataplane.serve;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.route.DomainMatch;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.dataplane.forward.TargetResolver;
import io.outrigger.dataplane.route.AppSelectors;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.dataplane.tls.TlsContext;
import io.outrigger.dataplane.tls.TlsContexts;
import io.outrigger.lb.tree.PickQueue.ParkedCall;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One filter chain of a served listener, with the TLS context for new connections. The chain finds
 * the virtual host of each request by the request's authority (A36-13). A change of the routes
 * applies to the next request of every connection (A36-18).
 */
@AnyThread
public final class ServedChain implements TargetResolver {
  private static final Outcome<TlsContext> UNREAD =
      Outcome.failed(RpcStatus.unavailable("certificates are being read"));

  /** The targets of all virtual hosts, and the target of requests that match no virtual host. */
  private record Targets(
      RouteTable routes,
      IdentityHashMap<VirtualHost, Outcome<ForwardTarget>> byHost,
      Outcome<ForwardTarget> others) {}

  /** A target whose routes never change. */
  private record Target(String name, String authority, ConfigSelector selector)
      implements ForwardTarget {
    @Override
    public long park(ParkedCall call, @Nullable ConfigSelector seen) {
      throw new IllegalStateException("a call waits for a configuration that never changes");
    }

    @Override
    public boolean unpark(long ticket) {
      return false;
    }
  }

  private final ServerFilterChain config;
  private final AppSelectors selectors;
  private final String serve;
  private final String authority;
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private volatile Targets targets;
  private volatile Outcome<TlsContext> tls = UNREAD;

  /** Ends the subscription to the TLS context. */
  private Runnable endTls = () -> {};

  /**
   * @param authority the authority that the app gets with requests that have no authority
   */
  ServedChain(
      ServerFilterChain config,
      AppSelectors selectors,
      String serve,
      String authority,
      Outcome<RouteTable> routes) {
    this.config = config;
    this.selectors = selectors;
    this.serve = serve;
    this.authority = authority;
    targets = targets(routes);
  }

  public ServerFilterChain config() {
    return config;
  }

  /** Changes the routes. Must be called on the control loop. */
  void routes(Outcome<RouteTable> next) {
    if (!(next instanceof Outcome.Ok<RouteTable> ok) || !ok.value().equals(targets.routes())) {
      targets = targets(next);
    }
  }

  private Targets targets(Outcome<RouteTable> routes) {
    IdentityHashMap<VirtualHost, Outcome<ForwardTarget>> byHost = new IdentityHashMap<>();
    RouteTable table = routes.toOptional().orElseGet(() -> new RouteTable("", List.of()));
    for (VirtualHost host : table.virtualHosts()) {
      byHost.put(host, target(selectors.of(host)));
    }
    Outcome<ForwardTarget> others =
        target(
            routes.isOk()
                ? AppSelectors.withoutHost()
                : ConfigSelector.failing(routes.status(), true));
    return new Targets(table, byHost, others);
  }

  private Outcome<ForwardTarget> target(ConfigSelector selector) {
    return Outcome.ok(new Target(serve, authority, selector));
  }

  @Override
  public Outcome<ForwardTarget> targetFor(CharSequence requested) {
    Targets now = targets;
    Optional<DomainMatch> match = now.routes().match(requested.toString());
    return match.isEmpty()
        ? now.others()
        : now.byHost().getOrDefault(match.get().host(), now.others());
  }

  public Optional<DomainMatch> hostFor(String authority) {
    return targets.routes().match(authority);
  }

  /** Subscribes to the TLS context, if any. Must be called on the control loop. */
  void start(TlsContexts contexts, Runnable onContext) {
    if (config.tls().isEmpty()) {
      ready.complete(null);
      return;
    }
    endTls =
        contexts.use(
            config.tls().get(),
            context -> {
              tls = context;
              ready.complete(null);
              onContext.run();
            });
  }

  /** Completed when the first TLS context is built or has failed, or when this chain is closed. */
  CompletableFuture<Void> ready() {
    return ready;
  }

  /** Ends the subscription to the TLS context. Must be called on the control loop. */
  void close() {
    endTls.run();
    ready.complete(null);
  }

  /** The context for new TLS connections, or the reason why there is no context. */
  public Outcome<TlsContext> tls() {
    return tls;
  }
}

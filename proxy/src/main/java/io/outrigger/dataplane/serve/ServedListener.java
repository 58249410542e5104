package io.outrigger.dataplane.serve;

import static java.util.Objects.requireNonNull;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.IpAddress;
import io.outrigger.base.OneTimer;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.route.RouteTable;
import io.outrigger.dataplane.downstream.Http2Listener;
import io.outrigger.dataplane.downstream.ListenerSettings;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.forward.CallLoop;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.dataplane.route.AppSelectors;
import io.outrigger.dataplane.tls.TlsContexts;
import io.outrigger.http2.EventLoops;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The port of one {@code --serve}, which is open while there is a configuration (A36).
 *
 * <pre>
 * WAITING     -> SERVING      on serve, when there was a connection to the app
 * WAITING     -> BIND_RETRY   on serve, when the port cannot be opened
 * BIND_RETRY  -> SERVING      on a further attempt, 1 s to 60 s apart
 * SERVING     -> SERVING      on serve: new connections use the new configuration, and wait for its
 *                             TLS contexts; then old connections end within the drain grace, with
 *                             their GOAWAYs spread
 * any         -> NOT_SERVING  on stop: the port closes, open calls finish within the drain grace
 * NOT_SERVING -> as WAITING   on serve
 * any         -> NOT_SERVING  on drain or close, permanently
 * </pre>
 */
@ControlConfined
public final class ServedListener {
  public enum State {
    /** There is no configuration yet, or no connection to the app. */
    WAITING,
    SERVING,
    /** The control plane has no usable configuration. */
    NOT_SERVING,
    /** The port could not be opened; another attempt to open it follows. */
    BIND_RETRY
  }

  private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
  private static final Duration LAST_RETRY = Duration.ofSeconds(60);

  private final ControlLoop control;
  private final EventLoops loops;
  private final List<CallLoop> callLoops;
  private final Forward forward;
  private final ListenerSettings limits;
  private final InetSocketAddress listen;
  private final ServeSettings settings;
  private final AppCluster app;
  private final TlsContexts tls;
  private final ServeObserver observer;
  private final HttpFilters filters;
  private final ServedAdmission admission;
  private final OneTimer retryTimer;

  /** Ports that accept no more connections, but still have open connections. */
  private final List<Http2Listener> drainingPorts = new ArrayList<>();

  /** The configuration in use; null while nothing may be served. */
  private @Nullable ServedConfig config;

  private @Nullable Http2Listener port;

  /** Completed when the previous port is closed. */
  private CompletionStage<Void> previousPortClosed = CompletableFuture.completedFuture(null);

  /** Whether the port must stay closed until the first connection to the app. */
  private boolean awaitsApp = true;

  /** Whether {@link #onAppReachable} will be called. */
  private boolean isWaitingForApp;

  private boolean isOpening;
  private Duration retryDelay = FIRST_RETRY;
  private State state = State.WAITING;
  private Optional<String> reason = Optional.of("waiting for the first configuration");
  private boolean isClosed;

  /**
   * @param callLoops the {@link CallLoop} of each event loop, in the order of the event loops
   */
  public ServedListener(
      ControlLoop control,
      EventLoops loops,
      List<CallLoop> callLoops,
      Forward forward,
      ListenerSettings limits,
      InetSocketAddress listen,
      ServeSettings settings,
      AppCluster app,
      TlsContexts tls,
      RandomSource random,
      ServeObserver observer) {
    this.control = control;
    this.loops = loops;
    this.callLoops = List.copyOf(callLoops);
    this.forward = forward;
    this.limits = limits;
    this.listen = listen;
    this.settings = settings;
    this.app = app;
    this.tls = tls;
    this.observer = observer;
    filters = new HttpFilters(new AtomicLong(), observer);
    admission = new ServedAdmission(loops, settings, random, observer);
    retryTimer = new OneTimer(control);
  }

  /**
   * Serves a configuration. If the given Listener equals the Listener in use, all connections stay
   * open, and the new routes apply to the next requests. A changed Listener applies to all later
   * connections. New connections wait until the TLS contexts of the changed Listener are built,
   * because the previous configuration may be less strict. New connections wait for certificates at
   * most {@link TlsContexts#FIRST_READING}.
   *
   * @param routes the routes of each filter chain, or the reason why the chain's requests fail
   *     (A36-16)
   */
  public void serve(
      SocketListener listener, Function<ServerFilterChain, Outcome<RouteTable>> routes) {
    control.checkInside();
    if (isClosed) {
      return;
    }
    if (config != null && config.listener().equals(listener)) { // A36-20
      config.routes(routes);
      return;
    }
    ServedConfig before = config;
    config = ServedConfig.of(listener, chain -> newChain(chain, routes.apply(chain)));
    admission.config(config);
    if (before != null) {
      before.close();
    }
    applyIfReady();
  }

  private ServedChain newChain(ServerFilterChain chain, Outcome<RouteTable> routes) {
    var selectors =
        new AppSelectors(app.handle(), chain.filters(), filters, settings.requiresRbac());
    String authority = listen.getHostString() + ":" + listen.getPort();
    var used = new ServedChain(chain, selectors, forward.name(), authority, routes);
    used.start(tls, this::applyIfReady);
    return used;
  }

  /** Opens the port. Ends connections of old configurations and of peers no longer trusted. */
  private void applyIfReady() {
    if (config != null && config.isReady()) {
      if (port != null) {
        port.retire();
      }
      open();
    }
  }

  /** Closes the port, because there is no usable configuration. */
  public void stop(String why) {
    control.checkInside();
    if (!isClosed) {
      endConfig();
      setState(State.NOT_SERVING, Optional.of(why));
    }
  }

  /**
   * Sets the reason why there is no configuration: none has arrived yet, or the last configuration
   * is no longer in use.
   */
  public void await(String why) {
    control.checkInside();
    if (config == null && !isClosed) {
      setState(state, Optional.of(why));
    }
  }

  private void open() {
    if (config == null || !config.isReady() || isClosed) {
      return;
    }
    if (port != null || isOpening || retryTimer.isRunning()) {
      return;
    }
    if (awaitsApp && !app.isReachable()) {
      setState(State.WAITING, Optional.of("waiting for a connection to the app"));
      if (!isWaitingForApp) {
        isWaitingForApp = true;
        app.whenReachable(() -> control.execute(this::onAppReachable));
      }
      return;
    }
    awaitsApp = false;
    isOpening = true;
    previousPortClosed
        .thenCompose(
            closed -> Http2Listener.open(listen, loops, callLoops, forward, admission, limits))
        .whenComplete(
            (opened, failure) ->
                control.execute(
                    () -> {
                      isOpening = false;
                      if (opened == null) {
                        onBindFailed(requireNonNull(failure.getCause()));
                      } else {
                        onOpened(opened);
                      }
                    }));
  }

  private void onAppReachable() {
    isWaitingForApp = false;
    open();
  }

  private void onOpened(Http2Listener opened) {
    if (isClosed) { // no drain waits for this port
      opened.close();
      return;
    }
    port = opened;
    retryDelay = FIRST_RETRY;
    if (config == null) { // the Listener went out of use while the port was opened
      drainPort();
    } else {
      setState(State.SERVING, Optional.empty());
      applyIfReady(); // the configuration may have changed after the port accepted a connection
    }
  }

  private void onBindFailed(Throwable cause) {
    if (config == null) {
      return;
    }
    setState(State.BIND_RETRY, Optional.of(String.valueOf(cause.getMessage())));
    retryTimer.start(retryDelay, this::open);
    Duration twice = retryDelay.multipliedBy(2);
    retryDelay = twice.compareTo(LAST_RETRY) < 0 ? twice : LAST_RETRY;
  }

  private void endConfig() {
    if (config != null) {
      admission.config(null);
      config.close();
      config = null;
    }
    retryTimer.stop();
    retryDelay = FIRST_RETRY;
    drainPort();
  }

  /**
   * Closes the port. Open calls may finish within the drain grace, or without this time limit if
   * the whole program drains.
   */
  private void drainPort() {
    Http2Listener ending = port;
    if (ending == null) {
      return;
    }
    port = null;
    previousPortClosed = ending.portClosed();
    drainingPorts.add(ending);
    TimerHandle end = isClosed ? () -> {} : control.schedule(settings.drainGrace(), ending::close);
    ending
        .drain()
        .thenRun(
            () ->
                control.execute(
                    () -> {
                      drainingPorts.remove(ending);
                      end.cancel();
                    }));
  }

  private void setState(State next, Optional<String> why) {
    if (state != next || !reason.equals(why)) {
      state = next;
      reason = why;
      observer.onState(next, why);
    }
  }

  /**
   * Closes the port permanently; open calls may finish.
   *
   * @return a stage that completes when all connections are closed
   */
  public CompletableFuture<Void> drain() {
    return end(Http2Listener::drain);
  }

  /** Immediately closes the port and all connections. */
  public CompletableFuture<Void> close() {
    return end(Http2Listener::close);
  }

  private CompletableFuture<Void> end(Function<Http2Listener, CompletableFuture<Void>> how) {
    control.checkInside();
    isClosed = true;
    state = State.NOT_SERVING; // without an event, because the whole program drains
    reason = Optional.of("draining");
    endConfig();
    return CompletableFuture.allOf(
        drainingPorts.stream().map(how).toArray(CompletableFuture<?>[]::new));
  }

  public State state() {
    control.checkInside();
    return state;
  }

  /**
   * Returns why requests or connections fail; empty when the port is open, the app can be reached,
   * and every certificate is available.
   */
  public Optional<String> problem() {
    control.checkInside();
    boolean needsApp = state == State.WAITING || state == State.SERVING;
    if (config != null && needsApp && !app.isReachable()) {
      return Optional.of(app.reasonUnreachable());
    }
    return reason.isPresent() || config == null ? reason : config.problem();
  }

  /** Returns the port, if open, and earlier ports that still have open connections. */
  public Stream<Http2Listener> listeners() {
    control.checkInside();
    return Stream.concat(drainingPorts.stream(), Stream.ofNullable(port));
  }

  public int connections() {
    return listeners().mapToInt(Http2Listener::connections).sum();
  }

  /**
   * Returns the filter chain that a new connection would get; empty when no chain matches.
   *
   * @param peerPort the port of the peer; 0 if unknown
   */
  public Optional<ServedChain> chainFor(IpAddress local, IpAddress peer, int peerPort) {
    control.checkInside();
    return config == null
        ? Optional.empty()
        : Optional.ofNullable(config.chainFor(local, peer, peerPort));
  }

  public boolean isDefault(ServerFilterChain chain) {
    control.checkInside();
    return config != null && config.listener().defaultChain().filter(chain::equals).isPresent();
  }

  /** Returns the filter chains for new connections; empty while there is no configuration. */
  public List<ServerFilterChain> chains() {
    control.checkInside();
    return config == null ? List.of() : config.chains().stream().map(ServedChain::config).toList();
  }
}

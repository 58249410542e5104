package io.outrigger.xds.serving;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.listener.ListenerResource;
import io.outrigger.config.route.RouteTable;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.deps.WatchTable;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Watches the Listener of one address that this process serves, and the route configurations that
 * the Listener names. Publishes the state of the address once for changes that arrive together.
 */
@ControlConfined
public final class ServingWatcher {
  private final ControlLoop loop;
  private final ServingTransition transition;
  private final Consumer<ServingState> onState;
  private final WatchTable<String, ListenerResource> listeners;
  private final WatchTable<String, RouteTable> routes;
  private ServingState state;

  private RpcStatus loss = RpcStatus.OK; // why the Listener is lost, see onListener
  private boolean dirty;
  private boolean posted;
  private boolean closed;

  /**
   * @param listen the address at which to listen, with its IP address in canonical form
   * @param nodeId the xDS node ID, which is part of failures that callers receive
   * @param onState called on the control loop when the state has changed; {@link #state} returns
   *     the first state
   */
  public ServingWatcher(
      ControlLoop loop,
      XdsClient client,
      String resource,
      EndpointAddress listen,
      String nodeId,
      Consumer<ServingState> onState) {
    this.loop = loop;
    this.transition = new ServingTransition(resource, listen, nodeId);
    this.onState = onState;
    this.listeners = WatchTable.of(client, ResourceType.LISTENER, this::onListener);
    this.routes = WatchTable.of(client, ResourceType.ROUTE, name -> markDirty());
    this.state = transition.start();
  }

  public void start() {
    loop.checkInside();
    listeners.start(Set.of(transition.resource()));
  }

  public ServingState state() {
    loop.checkInside();
    return state;
  }

  /** Returns why the last version of the served Listener, or of its routes, was refused (NACK). */
  public Optional<String> refusal() {
    loop.checkInside();
    return state instanceof ServingState.Serving serving
        ? Stream.concat(
                Stream.of(listeners.get(transition.resource()).ambient()),
                serving.routes().keySet().stream().sorted().map(name -> routes.get(name).ambient()))
            .filter(error -> error.code() == RpcStatus.Code.INVALID_ARGUMENT)
            .map(RpcStatus::message)
            .findFirst()
        : Optional.empty();
  }

  public void close() {
    loop.checkInside();
    closed = true;
    listeners.retain(Set.of());
    routes.retain(Set.of());
  }

  /**
   * Keeps the error of a deletion, because a later stream error replaces it as the ambient error.
   * If a later version of the Listener is refused, the refusal is reported instead of the deletion.
   */
  private void onListener(String name) {
    RpcStatus ambient = listeners.get(name).ambient();
    boolean isRefused = ambient.code() == RpcStatus.Code.INVALID_ARGUMENT;
    if (ambient.isOk()
        || ambient.code() == RpcStatus.Code.NOT_FOUND
        || (isRefused && !loss.isOk())) {
      loss = ambient;
    }
    markDirty();
  }

  private void markDirty() {
    dirty = true;
    if (!posted && !closed) {
      posted = true;
      loop.execute(this::recompute);
    }
  }

  private void recompute() {
    if (closed) {
      return;
    }
    ServingTransition.Step step;
    do { // a new watch may deliver a cached resource at once
      dirty = false;
      step = transition.apply(state, listeners.get(transition.resource()), loss, routes::get);
      routes.start(step.wanted());
    } while (dirty);
    posted = false;
    routes.retain(step.wanted());
    if (!step.next().equals(state)) {
      state = step.next();
      onState.accept(state);
    }
  }
}

package io.outrigger.xds.serving;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.listener.ListenerResource;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.route.RouteTable;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.deps.ResolutionNotes;
import io.outrigger.xds.deps.WatchState;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Computes the state of an address that this process serves, from its Listener and routes (A36
 * "Serving and Not Serving").
 *
 * <pre>
 * Listener                              state
 * no answer, control plane unreachable  unchanged; WAITING has the reason
 * error, API listener, other address    NOT_SERVING
 * deleted, also while it stays cached   NOT_SERVING until the control plane sends it again
 * socket listener, routes unanswered    SERVING with the previous Listener, else WAITING
 * socket listener, routes answered      SERVING: routes in error fail their requests (A36-16)
 * </pre>
 *
 * <p>An ambient error that this table does not list leaves the state unchanged. While a
 * configuration is served, a route configuration with the error UNAVAILABLE counts as unanswered,
 * not as answered with an error. The error UNAVAILABLE means that the control plane is unreachable,
 * or that a resource timer with a transient error has elapsed (decision xds-0076).
 *
 * @param listen the address at which to listen, with its IP address in canonical form
 * @param nodeId the xDS node ID, which is part of failures that callers receive
 */
record ServingTransition(String resource, EndpointAddress listen, String nodeId) {
  /**
   * @param wanted the names of the wanted route configurations, which must be watched
   */
  record Step(ServingState next, Set<String> wanted) {}

  ServingState start() {
    return new ServingState.Waiting("waiting for " + subject());
  }

  /**
   * @param loss OK unless the control plane has deleted the Listener; then the status of the
   *     deletion or, if a later version was refused, the status of the refusal
   */
  Step apply(
      ServingState before,
      WatchState<ListenerResource> listener,
      RpcStatus loss,
      Function<String, WatchState<RouteTable>> routes) {
    Optional<SocketListener> served =
        before instanceof ServingState.Serving serving
            ? Optional.of(serving.listener())
            : Optional.empty();
    if (!loss.isOk()) { // decision xds-0077
      return notServing(ResolutionNotes.describe(ResourceType.LISTENER, resource, loss));
    }
    if (listener.value().isPresent()) {
      return onListener(served, listener.value().get(), routes);
    }
    RpcStatus error = listener.error();
    if (isAnswer(error)) {
      return notServing(ResolutionNotes.describe(ResourceType.LISTENER, resource, error));
    }
    if (before instanceof ServingState.Waiting && !error.isOk()) {
      return new Step(
          new ServingState.Waiting(
              ResolutionNotes.describe(ResourceType.LISTENER, resource, error)),
          Set.of());
    }
    return served
        .map(current -> new Step(serve(current, routes), names(current)))
        .orElseGet(() -> new Step(before, Set.of()));
  }

  private Step onListener(
      Optional<SocketListener> served,
      ListenerResource resource,
      Function<String, WatchState<RouteTable>> routes) {
    if (!(resource instanceof SocketListener listener)) {
      return notServing(
          subject()
              + " is an API listener, which configures clients; a server needs one with an address"
              + " and filter chains");
    }
    if (!listener.isFor(listen.ip(), listen.port())) { // port 0 matches every port (proposal 559)
      return notServing(
          "%s is for %s, but the address to serve is %s; both must be equal"
              .formatted(subject(), new EndpointAddress(listener.host(), listener.port()), listen));
    }
    Set<String> wanted = names(listener);
    Optional<String> missing =
        wanted.stream()
            .filter(name -> isUnanswered(routes.apply(name), served.isPresent()))
            .findFirst();
    if (missing.isEmpty()) {
      return new Step(serve(listener, routes), wanted);
    }
    if (served.isEmpty()) {
      return new Step(
          new ServingState.Waiting("waiting for route configuration \"" + missing.get() + "\""),
          wanted);
    }
    Set<String> both = new LinkedHashSet<>(wanted);
    both.addAll(names(served.get()));
    return new Step(serve(served.get(), routes), both);
  }

  private static boolean isUnanswered(WatchState<RouteTable> routes, boolean isServing) {
    return routes.isUnresolved()
        || (isServing && routes.value().isEmpty() && !isAnswer(routes.error()));
  }

  /** Whether an error concerns the resource itself and not the connection. */
  private static boolean isAnswer(RpcStatus error) {
    return !error.isOk() && error.code() != RpcStatus.Code.UNAVAILABLE;
  }

  private ServingState serve(
      SocketListener listener, Function<String, WatchState<RouteTable>> routes) {
    Map<String, Outcome<RouteTable>> answers = new HashMap<>();
    for (String name : names(listener)) {
      WatchState<RouteTable> state = routes.apply(name);
      answers.put(
          name,
          state
              .value()
              .map(Outcome::ok)
              .orElseGet(() -> Outcome.failed(failure(name, state.error()))));
    }
    return new ServingState.Serving(listener, answers);
  }

  private RpcStatus failure(String routes, RpcStatus error) {
    return new ResolutionNotes(nodeId, RpcStatus.OK, RpcStatus.OK)
        .failure(ResolutionNotes.describe(ResourceType.ROUTE, routes, error));
  }

  private static Set<String> names(SocketListener listener) {
    return Stream.concat(listener.chains().stream(), listener.defaultChain().stream())
        .flatMap(chain -> chain.routes().match(inline -> Stream.<String>empty(), Stream::of))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private static Step notServing(String reason) {
    return new Step(new ServingState.NotServing(reason), Set.of());
  }

  private String subject() {
    return "listener \"" + resource + "\"";
  }
}

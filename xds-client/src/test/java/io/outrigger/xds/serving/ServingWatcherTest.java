package io.outrigger.xds.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.listener.FilterChainMatch;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.listener.ListenerResource;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.RouteTable;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.testing.FakeXdsClient;
import io.outrigger.xds.testing.Resources;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServingWatcherTest {
  private static final String NAME = "inbound/10.1.2.3:8080";
  private static final RpcStatus ABSENT = new RpcStatus(RpcStatus.Code.NOT_FOUND, "does not exist");
  private static final RpcStatus REFUSED =
      new RpcStatus(RpcStatus.Code.INVALID_ARGUMENT, "address: is missing");
  private static final RpcStatus UNREACHABLE = RpcStatus.unavailable("cp:443: connection refused");

  private final FakeControlLoop loop = new FakeControlLoop();
  private final FakeXdsClient client = new FakeXdsClient();
  private final List<ServingState> published = new ArrayList<>();
  private final ServingWatcher watcher =
      new ServingWatcher(
          loop, client, NAME, new EndpointAddress("10.1.2.3", 8080), "node-1", published::add);

  private static SocketListener listener(String... routes) {
    return listenerAt("10.1.2.3", 8080, routes);
  }

  /** A Listener with a chain for each route configuration. */
  private static SocketListener listenerAt(String host, int port, String... routes) {
    List<ServerFilterChain> chains =
        Stream.of(routes).map(name -> chain("chain-" + name, new RouteSource.Rds(name))).toList();
    return new SocketListener(NAME, host, port, chains, Optional.empty());
  }

  private static ServerFilterChain chain(String name, RouteSource routes) {
    return new ServerFilterChain(
        name,
        FilterChainMatch.ANY,
        Optional.empty(),
        routes,
        List.of(new HttpFilter("router", new FilterConfig.Router())));
  }

  private ServingWatcherTest started() {
    loop.inside(watcher::start);
    return this;
  }

  private void set(ListenerResource listener) {
    loop.inside(() -> client.set(ResourceType.LISTENER, NAME, listener));
  }

  private void set(RouteTable routes) {
    loop.inside(() -> client.set(ResourceType.ROUTE, routes.name(), routes));
  }

  private void fail(RpcStatus status) {
    loop.inside(() -> client.fail(ResourceType.LISTENER, NAME, status));
  }

  private void failRoutes(String name, RpcStatus status) {
    loop.inside(() -> client.fail(ResourceType.ROUTE, name, status));
  }

  private ServingState state() {
    List<ServingState> states = new ArrayList<>();
    loop.inside(() -> states.add(watcher.state()));
    return states.get(0);
  }

  private ServingState.Serving config() {
    assertThat(state()).isInstanceOf(ServingState.Serving.class);
    return (ServingState.Serving) state();
  }

  private String reason() {
    ServingState state = state();
    return state instanceof ServingState.Waiting waiting
        ? waiting.reason()
        : ((ServingState.NotServing) state).reason();
  }

  @Test
  @Conformance({"A36-03", "A36-04"})
  void servesWhenTheListenerAndAllItsRoutesHaveAnAnswer() {
    started();
    assertThat(state())
        .isEqualTo(new ServingState.Waiting("waiting for listener \"" + NAME + "\""));

    set(listener("r1", "r2"));
    assertThat(reason()).isEqualTo("waiting for route configuration \"r1\"");
    set(Resources.routes("r1"));
    assertThat(reason()).isEqualTo("waiting for route configuration \"r2\"");
    set(Resources.routes("r2"));

    assertThat(config().listener()).isEqualTo(listener("r1", "r2"));
    assertThat(config().routes())
        .isEqualTo(
            Map.of(
                "r1", Outcome.ok(Resources.routes("r1")),
                "r2", Outcome.ok(Resources.routes("r2"))));
  }

  @Test
  void routesInsideTheListenerNeedNoAnswer() {
    started();
    ServerFilterChain inline = chain("only", new RouteSource.Inline(Resources.routes("inline")));
    set(new SocketListener(NAME, "10.1.2.3", 8080, List.of(), Optional.of(inline)));

    assertThat(config().routesOf(inline)).isEqualTo(Outcome.ok(Resources.routes("inline")));
    assertThat(client.watched(ResourceType.ROUTE)).isEmpty();
  }

  @Test
  void theRefusalOfALaterVersionIsShown() {
    started();
    set(listener("r1"));
    set(Resources.routes("r1"));
    List<Optional<String>> shown = new ArrayList<>();
    Runnable show = () -> loop.inside(() -> shown.add(watcher.refusal()));
    show.run();

    loop.inside(() -> client.ambient(ResourceType.ROUTE, "r1", REFUSED));
    show.run();
    loop.inside(() -> client.ambient(ResourceType.ROUTE, "r1", UNREACHABLE));
    show.run();
    loop.inside(() -> client.ambient(ResourceType.LISTENER, NAME, REFUSED));
    show.run();

    Optional<String> reason = Optional.of(REFUSED.message());
    assertThat(shown).containsExactly(Optional.empty(), reason, Optional.empty(), reason);
  }

  @Test
  @Conformance("A36-16")
  void routesInErrorAreServedAsFailures() {
    started();
    set(listener("r1", "r2"));
    failRoutes("r1", ABSENT);
    failRoutes("r2", UNREACHABLE);

    assertThat(config().routes())
        .isEqualTo(
            Map.of(
                "r1",
                Outcome.failed(
                    RpcStatus.unavailable(
                        "route configuration \"r1\": does not exist; xDS node ID: node-1")),
                "r2",
                Outcome.failed(
                    RpcStatus.unavailable(
                        "route configuration \"r2\": cp:443: connection refused; xDS node ID:"
                            + " node-1"))));
  }

  @Test
  @Conformance("A36-16")
  void anErrorBesideUsableRoutesChangesNothing() {
    started();
    set(listener("r1"));
    set(Resources.routes("r1", "a"));
    published.clear();

    loop.inside(() -> client.ambient(ResourceType.ROUTE, "r1", REFUSED));

    assertThat(published).isEmpty();
  }

  @ParameterizedTest(name = "{0}:{1}")
  @Conformance("A36-05")
  @CsvSource({"10.1.2.4,8080", "10.1.2.3,8081", "0.0.0.0,8080", "0.0.0.0,0"})
  void aListenerOfAnotherAddressIsNotServed(String host, int port) {
    started();
    set(listenerAt(host, port, "r1"));

    assertThat(state())
        .isEqualTo(
            new ServingState.NotServing(
                "listener \"%s\" is for %s:%d, but the address to serve is 10.1.2.3:8080; both must be equal"
                    .formatted(NAME, host, port)));
    assertThat(client.watched(ResourceType.ROUTE)).isEmpty();
  }

  @Test
  @Conformance("A36-05")
  void portZeroOfAListenerMeansEveryPort() {
    started();
    set(listenerAt("10.1.2.3", 0));

    assertThat(config().listener().port()).isZero();
  }

  @Test
  @Conformance("A36-06")
  void anApiListenerIsNotServed() {
    started();
    set(Resources.listener(NAME, "r1"));

    assertThat(state()).isInstanceOf(ServingState.NotServing.class);
    assertThat(reason())
        .isEqualTo(
            "listener \""
                + NAME
                + "\" is an API listener, which configures clients; a server needs one with an"
                + " address and filter chains");
  }

  @Test
  @Conformance("A36-22")
  void aLostListenerIsNotServedUntilItComesBack() {
    started();
    set(listener("r1"));
    set(Resources.routes("r1", "a"));

    fail(ABSENT);
    assertThat(state())
        .isEqualTo(new ServingState.NotServing("listener \"" + NAME + "\": does not exist"));
    assertThat(client.watched(ResourceType.ROUTE)).isEmpty();

    set(listener("r2"));
    assertThat(reason()).isEqualTo("waiting for route configuration \"r2\"");
    set(Resources.routes("r2"));
    assertThat(config().listener()).isEqualTo(listener("r2"));
  }

  @Test
  void aRefusedListenerWithoutAPredecessorIsNotServed() {
    started();
    fail(REFUSED);

    assertThat(state())
        .isEqualTo(new ServingState.NotServing("listener \"" + NAME + "\": address: is missing"));
  }

  @Test
  @Conformance("A36-23")
  void anUnreachableControlPlaneChangesNoState() {
    started();
    fail(UNREACHABLE);
    assertThat(state())
        .isEqualTo(
            new ServingState.Waiting("listener \"" + NAME + "\": cp:443: connection refused"));

    set(listener("r1"));
    set(Resources.routes("r1"));
    published.clear();
    loop.inside(
        () -> {
          client.ambient(ResourceType.LISTENER, NAME, UNREACHABLE);
          client.ambient(ResourceType.ROUTE, "r1", UNREACHABLE);
        });
    assertThat(published).isEmpty();

    fail(ABSENT);
    published.clear();
    fail(UNREACHABLE);
    assertThat(published).isEmpty();
  }

  @Test
  @Conformance("A36-22")
  void aDeletedListenerIsNotServedWhileItStaysCached() {
    started();
    set(listener("r1"));
    set(Resources.routes("r1"));
    loop.inside(
        () -> {
          client.ambient(ResourceType.LISTENER, NAME, ABSENT);
          client.ambient(ResourceType.LISTENER, NAME, UNREACHABLE);
        });
    assertThat(reason()).contains("does not exist");

    loop.inside(() -> client.ambient(ResourceType.LISTENER, NAME, REFUSED));
    assertThat(reason()).contains("address: is missing").doesNotContain("does not exist");

    set(listener("r1"));
    assertThat(state()).isInstanceOf(ServingState.Serving.class);
  }

  @Test
  @Conformance("A36-18")
  void changedRoutesKeepTheListener() {
    started();
    set(listener("r1"));
    set(Resources.routes("r1", "a"));
    SocketListener before = config().listener();

    set(Resources.routes("r1", "b"));

    assertThat(config().listener()).isSameAs(before);
    assertThat(config().routes()).containsValue(Outcome.ok(Resources.routes("r1", "b")));
  }

  @Test
  @Conformance("A36-21")
  void theOldConfigurationServesUntilTheNewRoutesAreKnown() {
    started();
    set(listener("r1"));
    set(Resources.routes("r1", "a"));
    published.clear();

    set(listener("r2"));
    assertThat(published).isEmpty();
    set(Resources.routes("r1", "b"));
    assertThat(config().listener()).isEqualTo(listener("r1"));
    assertThat(config().routes()).containsValue(Outcome.ok(Resources.routes("r1", "b")));

    failRoutes("r2", UNREACHABLE);
    assertThat(config().listener()).isEqualTo(listener("r1"));
    failRoutes("r2", ABSENT);
    assertThat(config().listener()).isEqualTo(listener("r2"));
    assertThat(client.watched(ResourceType.ROUTE)).containsExactly("r2");
  }

  @Test
  @Conformance("A36-20")
  void anEqualListenerIsNotPublishedAgain() {
    started();
    set(listener("r1"));
    set(Resources.routes("r1", "a"));
    published.clear();

    set(listener("r1"));
    set(Resources.routes("r1", "a"));

    assertThat(published).isEmpty();
  }

  @Test
  void aClosedWatcherWatchesNothing() {
    started();
    set(listener("r1"));
    loop.inside(watcher::close);
    published.clear();
    set(Resources.routes("r1"));

    assertThat(published).isEmpty();
    assertThat(client.watched(ResourceType.LISTENER)).isEmpty();
    assertThat(client.watched(ResourceType.ROUTE)).isEmpty();
  }
}

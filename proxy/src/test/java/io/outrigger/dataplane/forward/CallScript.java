package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static io.outrigger.http2.testing.Heads.request;
import static io.outrigger.http2.testing.Heads.responseHead;
import static io.outrigger.program.testing.mesh.OneRoute.noLimit;
import static io.outrigger.program.testing.mesh.OneRoute.selector;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.AsciiString;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.HashPolicy;
import io.outrigger.config.route.HostRewrite;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.calls.CallRecord;
import io.outrigger.dataplane.calls.CallSummary;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.filter.RouteFilter;
import io.outrigger.http2.StreamHandler;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.ClusterHandles;
import io.outrigger.program.testing.Pressure;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.program.testing.mesh.FakeTarget;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.ScriptedRandom;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A forward with a target, one route, a cluster and a backend, for tests that send calls through
 * them.
 */
final class CallScript {
  static final String NODE = "node-1";

  final FakeControlLoop time = new FakeControlLoop();
  final ClusterHandle cluster = ClusterHandles.named("pay");
  final FakeTarget target = new FakeTarget();
  final FakeBackend backend = new FakeBackend("10.0.0.1");
  final List<ByteBuf> buffers = new ArrayList<>();
  final List<String> ended = new ArrayList<>();
  final AtomicLong faults = new AtomicLong();
  private final HttpFilters chains = new HttpFilters(faults, (call, filter, decision) -> {});
  final ScriptedRandom random = new ScriptedRandom(1);
  final CallLoop loop = new CallLoop(0, time, time::nanoTime, time, random);
  final Pressure memory = new Pressure();
  CallTracer tracer = CallTracer.NONE;
  CallObserver observer = call -> {};
  Forward forward = forward(DefaultSettings.forward(NODE));

  Forward forward(ForwardSettings settings) {
    return forward(settings, TargetResolver.fixed(target));
  }

  Forward forward(ForwardSettings settings, TargetResolver targets) {
    return new Forward("orders", settings, targets, this::onEnded, tracer, memory.gauge, 1);
  }

  private void onEnded(CallSummary summary) {
    CallRecord call = summary.record("orders", 0);
    String reason = call.localReason().map(r -> "/" + r.word()).orElse("");
    ended.add(call.code() + "/" + call.httpStatus() + reason);
    observer.onEnded(summary);
  }

  /** Publishes one route without a time limit, and a READY backend. */
  CallScript ready() {
    return routed(noLimit()).picks(backend.use);
  }

  /** Publishes one route, for every path below {@code /}. */
  CallScript routed(RouteTimeout timeout) {
    target.publish(selector(cluster, timeout));
    return this;
  }

  /** Publishes one route with a name, which is the fifth of its virtual host. */
  CallScript named(String route, RouteTimeout timeout) {
    var action =
        new RouteAction.Forward(
            new ClusterChoice.Single(cluster.name()),
            timeout,
            HostRewrite.NONE,
            List.of(),
            Optional.empty());
    target.publish(selector(chains, cluster, route, 4, action, List.of()));
    return this;
  }

  /** Publishes one route without a time limit, with a filter of the test before the router. */
  CallScript filtered(FilterConfig settings, RouteFilter filter) {
    var own = only(filter);
    var filters = List.of(new HttpFilter("own", settings));
    target.publish(selector(own, cluster, noLimit(), filters, Optional.empty()));
    return this;
  }

  private static HttpFilters only(RouteFilter filter) {
    return new HttpFilters(new AtomicLong(), (call, name, decision) -> {}) {
      @Override
      protected Optional<RouteFilter> filter(String name, FilterConfig settings) {
        return Optional.of(filter);
      }
    };
  }

  /** Publishes such a route with weighted {@code clusters} of equal weight. */
  CallScript filtered(FilterConfig settings, RouteFilter filter, ClusterHandle... clusters) {
    var own = only(filter);
    Map<String, ClusterHandle> handles = new LinkedHashMap<>();
    List<ClusterChoice.WeightedCluster> weights = new ArrayList<>();
    for (ClusterHandle each : clusters) {
      handles.put(each.name(), each);
      weights.add(new ClusterChoice.WeightedCluster(each.name(), 1, Map.of()));
    }
    var action =
        new RouteAction.Forward(
            new ClusterChoice.Weighted(weights),
            noLimit(),
            HostRewrite.NONE,
            List.of(),
            Optional.empty());
    var filters = List.of(new HttpFilter("own", settings));
    target.publish(selector(own, handles, "", 0, action, filters));
    return this;
  }

  /** Publishes one route with a fault filter before the router. */
  CallScript faulty(RouteTimeout timeout, FilterConfig.Fault fault) {
    var filters = List.of(new HttpFilter("fault", fault));
    target.publish(selector(chains, cluster, timeout, filters, Optional.empty()));
    return this;
  }

  /** Publishes one route without a time limit, with the given hash policies. */
  CallScript hashed(HashPolicy... policies) {
    var action =
        new RouteAction.Forward(
            new ClusterChoice.Single(cluster.name()),
            noLimit(),
            HostRewrite.NONE,
            List.of(policies),
            Optional.empty());
    target.publish(selector(chains, cluster, action, List.of()));
    return this;
  }

  /** Publishes one route without a time limit, with {@code policy} as its retry policy. */
  CallScript retried(RetryPolicy policy) {
    target.publish(selector(chains, cluster, noLimit(), List.of(), Optional.of(policy)));
    return this;
  }

  /** Publishes one route that rewrites the authority and has a retry policy. */
  CallScript rewritten(RetryPolicy policy) {
    return rewritten(new HostRewrite.OfEndpoint(), policy);
  }

  /** Publishes one route with the given rewriting of the authority. */
  CallScript rewritten(HostRewrite rewrite, RetryPolicy policy) {
    var action =
        new RouteAction.Forward(
            new ClusterChoice.Single(cluster.name()),
            noLimit(),
            rewrite,
            List.of(),
            Optional.of(policy));
    target.publish(selector(chains, cluster, action, List.of()));
    return this;
  }

  /** Publishes one route with a fault filter and a retry policy. */
  CallScript faultyAndRetried(FilterConfig.Fault fault, RetryPolicy policy) {
    var filters = List.of(new HttpFilter("fault", fault));
    target.publish(selector(chains, cluster, noLimit(), filters, Optional.of(policy)));
    return this;
  }

  /** Publishes one route without a time limit, with cookie-based sessions. */
  CallScript sessions(String cookie, Optional<RetryPolicy> retry) {
    return sessions(cookie, "", retry);
  }

  /** Publishes one route with cookie-based sessions for a cookie path. */
  CallScript sessions(String cookie, String path, Optional<RetryPolicy> retry) {
    var config = new FilterConfig.SessionCookie(cookie, path, Duration.ZERO);
    var filter = new FilterConfig.StatefulSession(Optional.of(config));
    var filters = List.of(new HttpFilter("session", filter));
    target.publish(selector(chains, cluster, noLimit(), filters, retry));
    return this;
  }

  /** Publishes a picker that always returns one result. */
  CallScript picks(PickResult result) {
    var state =
        result instanceof PickResult.Use ? Connectivity.READY : Connectivity.TRANSIENT_FAILURE;
    return publishes(
        result instanceof PickResult.Queue ? Connectivity.CONNECTING : state, call -> result);
  }

  CallScript fails(String message) {
    return picks(new PickResult.Fail(RpcStatus.unavailable(message)));
  }

  CallScript publishes(Connectivity state, Picker picker) {
    time.inside(() -> ClusterHandles.publish(cluster, state, picker));
    return this;
  }

  /** A request of an app, and the response that the app receives. */
  final class App {
    final FakeStream stream = new FakeStream();
    final StreamHandler call = new ForwardedCall(forward, forward.app(), loop, stream);

    App() {
      stream.handler(call);
    }

    App send(boolean endStream, String... fields) {
      call.onHeaders(request(fields), endStream);
      return this;
    }

    /** Passes data as a connection does, which reuses the read buffer for later frames. */
    App data(String text, boolean endStream) {
      ByteBuf read = buffer(text);
      call.onData(read.retain(), endStream);
      read.setIndex(read.capacity(), read.capacity());
      read.release();
      return this;
    }

    /** The value of the field in the last header block of the response; empty when absent. */
    String field(String name) {
      AsciiString value = stream.last().get(AsciiString.of(name));
      return value == null ? "" : value.toString();
    }
  }

  /** A gRPC request that ends with its headers. */
  App unary(String... fields) {
    return new App().send(true, grpc(fields));
  }

  /** A gRPC request that continues after its headers. */
  App streaming(String... fields) {
    return new App().send(false, grpc(fields));
  }

  /** A request that is not gRPC. */
  App plain(boolean endStream, String... fields) {
    return new App().send(endStream, fields);
  }

  private static String[] grpc(String... fields) {
    List<String> all = new ArrayList<>(List.of("content-type", "application/grpc"));
    all.addAll(List.of(fields));
    return all.toArray(new String[0]);
  }

  ByteBuf buffer(String text) {
    ByteBuf buffer = PooledByteBufAllocator.DEFAULT.buffer(Math.max(1, text.length()));
    buffer.writeCharSequence(text, StandardCharsets.UTF_8);
    buffers.add(buffer);
    return buffer;
  }

  /** The number of unreleased buffers. */
  long unreleased() {
    return buffers.stream().filter(buffer -> buffer.refCnt() > 0).count();
  }

  /** The response headers of a backend's gRPC response. */
  void respond() {
    backend.stream().handlerOf().onHeaders(responseHead(), false);
  }

  /** The trailers of a successful gRPC response. */
  void succeed() {
    backend.stream().handlerOf().onHeaders(headers("grpc-status", "0"), true);
  }
}

package io.outrigger.bench;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.route.FilterConfig.SessionCookie;
import io.outrigger.config.route.FilterConfig.StatefulSession;
import io.outrigger.config.route.RequestView;
import io.outrigger.dataplane.filter.SessionFilter;
import io.outrigger.dataplane.filter.SessionFilter.Session;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.SessionHint;
import io.outrigger.lb.tree.ClusterHandle;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/**
 * What sessions cost in the tree of {@link PickBenchmark} (A55, A75): a call that has none, the
 * pick of one that has, and all that a session costs a call: its cookie is read, its endpoint
 * picked, its response's cookie found to be the same.
 */
@State(Scope.Benchmark)
public class SessionBenchmark {
  private static final SessionFilter FILTER =
      SessionFilter.of(
              new StatefulSession(Optional.of(new SessionCookie("sid", "", Duration.ZERO))))
          .orElseThrow();
  private static final Request REQUEST = new Request("10.0.1.7:8080;aggregate");
  private static final Set<String> CLUSTERS = Set.of("aggregate", "other");

  private ClusterHandle cluster = Tree.NONE;

  /** The calls of a thread, which stands for an event loop. */
  @State(Scope.Thread)
  public static class Loop {
    private final Call call = new Call();
    private final Call known = new Call().with(begin());
  }

  private static final class Call extends Tree.Call {
    private @Nullable Session session;

    Call with(@Nullable Session begun) {
      session = begun;
      return this;
    }

    @Override
    public @Nullable SessionHint session() {
      return session;
    }
  }

  private record Request(String path, String cookies) implements RequestView {
    Request(String session) {
      this("/pkg.Svc/Call", "theme=dark; sid=" + encoded(session) + "; lang=en");
    }

    private static String encoded(String session) {
      return Base64.getEncoder().encodeToString(session.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public @Nullable String header(String name) {
      return name.equals("cookie") ? cookies : null;
    }
  }

  private static Session begin() {
    return Objects.requireNonNull(FILTER.begin(REQUEST));
  }

  @Setup
  public void build() {
    var policy = new BalancingPolicy.WrrLocality(new BalancingPolicy.RoundRobin());
    cluster = Tree.withSessions(policy, new Call().with(begin()));
  }

  /** A call without a session in a cluster that has seen some. */
  @Benchmark
  @Target(nanos = 60, bytes = 0)
  public PickResult pickWithoutSession(Loop loop) {
    return cluster.picker().pick(loop.call.with(null).next());
  }

  /** A call whose session's endpoint is READY, the cookie read before. */
  @Benchmark
  @Target(nanos = 160, bytes = 0)
  public PickResult pickOfSession(Loop loop) {
    return cluster.picker().pick(loop.known.next());
  }

  /** The same on two loops at once that use one endpoint: what they share shows. */
  @Benchmark
  @Threads(2)
  @Target(bytes = 0)
  public PickResult pickOfSessionOnTwoLoops(Loop loop) {
    return cluster.picker().pick(loop.known.next());
  }

  /** At most 300 ns more than a call without a session. */
  @Benchmark
  @Target(nanos = 360)
  public Optional<String> session(Loop loop) {
    Session session = begin();
    String name = session.cluster(CLUSTERS);
    if (!(cluster.picker().pick(loop.call.with(session).next()) instanceof PickResult.Use)) {
      throw new IllegalStateException("no endpoint");
    }
    return session.setCookie(name);
  }
}

package io.outrigger.bench;

import com.google.re2j.Pattern;
import io.outrigger.base.CidrRange;
import io.outrigger.base.IpAddress;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.Criterion;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.HeaderMatcher;
import io.outrigger.config.route.StringMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * The decision of an RBAC filter with 100 policies in istiod's shape, none of which matches before
 * the last (A41-16). In one of ten policies the principal is a regular expression.
 */
@State(Scope.Benchmark)
public class RbacBenchmark {
  private static final int POLICIES = 100;
  private static final AuthorizationInput REQUEST =
      new Request(
          new PeerIdentity.Certified(List.of("spiffe://mesh/ns/shop/sa/app99"), List.of(), ""));

  private final Rbac.Rules rules = rules();

  private record Request(PeerIdentity peer) implements AuthorizationInput {
    @Override
    public String path() {
      return "/shop.Orders/Get";
    }

    @Override
    public @Nullable String header(String name) {
      return name.equals(":method") ? "POST" : null;
    }

    @Override
    public Connection connection() {
      return new Connection(
          peer, new IpAddress(false, 0, 0x0A000001), new IpAddress(false, 0, 0x0A000002), 8080);
    }
  }

  private static Rbac.Rules rules() {
    List<Rbac.Policy> policies = new ArrayList<>();
    for (int i = 0; i < POLICIES; i++) {
      Criterion method =
          new Criterion.Header(
              ":method",
              new HeaderMatcher.Value(":method", new StringMatcher.Exact("POST", false), false));
      Criterion paths =
          any(
              new Criterion.Path(new StringMatcher.Exact("/shop.Carts/Get", false)),
              new Criterion.Path(new StringMatcher.Prefix("/shop.Orders/", false)));
      StringMatcher name =
          i % 10 == 0
              ? new StringMatcher.Regex(Pattern.compile(".*/ns/shop" + i + "/.*"))
              : new StringMatcher.Exact("spiffe://mesh/ns/shop/sa/app" + i, false);
      Criterion address = new Criterion.PeerAddress(CidrRange.of("10.0.0.0", 8).orElseThrow());
      Criterion peer = new Criterion.Authenticated(Optional.of(name));
      policies.add(
          new Rbac.Policy(
              "ns-p" + i,
              any(Criterion.all(List.of(any(method), paths))),
              any(Criterion.all(List.of(any(peer), any(address))))));
    }
    return new Rbac.Rules(Rbac.Action.ALLOW, policies, Rbac.Audit.NONE);
  }

  private static Criterion any(Criterion... criteria) {
    return Criterion.any(List.of(criteria));
  }

  @Benchmark
  @Target(nanos = 10_000)
  public Rbac.Decision lastOfHundredPolicies() {
    Rbac.Decision decision = rules.decide(REQUEST);
    if (!decision.isAllowed()) {
      throw new IllegalStateException("the last policy must match");
    }
    return decision;
  }
}

package io.outrigger.dataplane.filter;

import io.outrigger.base.RandomSource;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.RequestView;
import io.outrigger.lb.SessionHint;
import io.outrigger.testing.ScriptedRandom;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A call that records the actions of its filters. */
final class FakeFilteredCall implements FilteredCall {
  private final RequestView request;
  private final RandomSource random;
  private String cluster = "pay";
  private @Nullable SessionHint session;

  FakeFilteredCall(RequestView request, RandomSource random) {
    this.request = request;
    this.random = random;
  }

  FakeFilteredCall() {
    this(new Headers(), new ScriptedRandom(1));
  }

  @Override
  public RequestView request() {
    return request;
  }

  @Override
  public RandomSource random() {
    return random;
  }

  @Override
  public AuthorizationInput authorization() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void decided(Rbac.Decision decision) {}

  @Override
  public String cluster() {
    return cluster;
  }

  @Override
  public Set<String> clusters() {
    return Set.of("pay", "other");
  }

  @Override
  public void changeCluster(String name) {
    if (clusters().contains(name)) {
      cluster = name;
    }
  }

  @Override
  public @Nullable SessionHint session() {
    return session;
  }

  @Override
  public void session(SessionHint hint) {
    session = hint;
  }
}

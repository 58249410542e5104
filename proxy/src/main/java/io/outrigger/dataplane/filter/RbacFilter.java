package io.outrigger.dataplane.filter;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.Rbac;
import java.util.Optional;

/** Refuses the requests that the policies of an RBAC filter deny (A41). */
record RbacFilter(String name, Rbac.Rules rules, RbacObserver observer) implements RouteFilter {
  private static final int FORBIDDEN = 403;
  private static final FilterStep.Answer DENIED =
      new FilterStep.Answer(
          new RpcStatus(RpcStatus.Code.PERMISSION_DENIED, "denied by RBAC"),
          LocalReason.DENIED,
          FORBIDDEN);

  /** Returns an RBAC filter; empty without rules, because all requests then pass (A41-02). */
  static Optional<RbacFilter> of(String name, Rbac settings, RbacObserver observer) {
    return settings.rules().map(rules -> new RbacFilter(name, rules, observer));
  }

  @Override
  public FilterStep onRequest(FilteredCall call) {
    Rbac.Decision decision = rules.decide(call.authorization());
    call.decided(decision);
    observer.onDecision(call, name, decision);
    return decision.isAllowed() ? FilterStep.PROCEED : DENIED;
  }

  @Override
  public Optional<Verdict> judge(AuthorizationInput input) {
    Rbac.Decision decision = rules.decide(input);
    return Optional.of(
        new Verdict(
            name,
            rules.action().toString(),
            decision.policy(),
            decision.isAllowed() ? Optional.empty() : Optional.of(DENIED)));
  }
}

package io.outrigger.config.rbac;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.IpAddress;
import io.outrigger.config.rbac.Rbac.Action;
import io.outrigger.config.rbac.Rbac.Audit;
import io.outrigger.config.rbac.Rbac.Decision;
import io.outrigger.config.rbac.Rbac.Policy;
import io.outrigger.config.rbac.Rbac.Rules;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RbacTest {
  private static final Policy MATCHING = policy("p", Criterion.ALWAYS, Criterion.ALWAYS);
  private static final Policy OTHER = policy("o", Criterion.ALWAYS, Criterion.NEVER);

  private static final Criterion UNJUDGED =
      new Criterion.Path(new StringMatcher.Exact("/a", false));

  @ParameterizedTest(name = "{0}, a policy matches: {1} -> allowed: {2}")
  @CsvSource({"ALLOW, true, true", "ALLOW, false, false", "DENY, true, false", "DENY, false, true"})
  @Conformance("A41-01")
  void firstMatchDecides(Action action, boolean matches, boolean allowed) {
    List<Policy> policies = matches ? List.of(OTHER, MATCHING) : List.of(OTHER);

    Decision decision = new Rules(action, policies, Audit.NONE).decide(new Request());

    assertThat(decision.isAllowed()).isEqualTo(allowed);
    assertThat(decision.policy()).isEqualTo(matches ? Optional.of("p") : Optional.empty());
  }

  @Test
  @Conformance("A41-02")
  void withoutPoliciesAllowRefusesAllAndDenyNone() {
    assertThat(allows(Action.ALLOW)).isFalse();
    assertThat(allows(Action.DENY)).isTrue();
  }

  @Test
  @Conformance("A41-03")
  void policyNeedsAPermissionAndAPrincipal() {
    var nothing = new Criterion.Any(List.of());
    var something = new Criterion.Any(List.of(Criterion.NEVER, Criterion.ALWAYS));

    assertThat(allows(Action.ALLOW, policy("p", something, something))).isTrue();
    assertThat(allows(Action.ALLOW, policy("p", something, nothing))).isFalse();
    assertThat(allows(Action.ALLOW, policy("p", nothing, something))).isFalse();
    assertThat(allows(Action.ALLOW, policy("p", something, Criterion.NEVER))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"ALLOW", "DENY"})
  void requestIsDeniedIfItCannotBeJudged(Action action) {
    var rules = new Rules(action, List.of(policy("p", UNJUDGED, UNJUDGED)), Audit.NONE);
    var broken =
        new Request() {
          @Override
          public String path() {
            throw new IllegalStateException("a bug");
          }
        };

    assertThat(rules.decide(broken)).isEqualTo(new Decision(false, Optional.empty(), 0));
  }

  @ParameterizedTest(
      name = "denied: {0}, allowed: {1} -> {2} lines of a denial, {3} of an approval")
  @CsvSource({"false, false, 0, 0", "true, false, 2, 0", "false, true, 0, 2", "true, true, 2, 2"})
  @Conformance("A59-01")
  void eachLoggerRecordsTheDecisionsOfItsCondition(
      boolean denied, boolean allowed, int linesOfDenial, int linesOfApproval) {
    var rules = new Rules(Action.DENY, List.of(MATCHING), new Audit(denied, allowed, 2));
    var open = new Rules(Action.DENY, List.of(), new Audit(denied, allowed, 2));

    assertThat(rules.decide(new Request()).auditLines()).isEqualTo(linesOfDenial);
    assertThat(open.decide(new Request()).auditLines()).isEqualTo(linesOfApproval);
  }

  private static boolean allows(Action action, Policy... policies) {
    return new Rules(action, List.of(policies), Audit.NONE).decide(new Request()).isAllowed();
  }

  private static Policy policy(String name, Criterion permissions, Criterion principals) {
    return new Policy(name, permissions, principals);
  }

  private static class Request implements AuthorizationInput {
    @Override
    public String path() {
      return "/a/b";
    }

    @Override
    public @Nullable String header(String name) {
      return null;
    }

    @Override
    public PeerIdentity peer() {
      return new PeerIdentity.Plain();
    }

    @Override
    public IpAddress peerAddress() {
      return new IpAddress(false, 0, 1);
    }

    @Override
    public IpAddress localAddress() {
      return new IpAddress(false, 0, 2);
    }

    @Override
    public int localPort() {
      return 80;
    }
  }
}

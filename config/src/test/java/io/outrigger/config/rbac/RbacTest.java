package io.outrigger.config.rbac;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.IpAddress;
import io.outrigger.config.rbac.Rbac.Action;
import io.outrigger.config.rbac.Rbac.Audit;
import io.outrigger.config.rbac.Rbac.Decision;
import io.outrigger.config.rbac.Rbac.Policy;
import io.outrigger.config.rbac.Rbac.Rules;
import io.outrigger.config.route.HeaderMatcher;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RbacTest {
  private static final Policy MATCHING = policy("p", Criterion.ALWAYS, Criterion.ALWAYS);
  private static final Criterion NEVER = new Criterion.Constant(false);
  private static final Policy OTHER = policy("o", Criterion.ALWAYS, NEVER);

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
    var something = new Criterion.Any(List.of(NEVER, Criterion.ALWAYS));

    assertThat(allows(Action.ALLOW, policy("p", something, something))).isTrue();
    assertThat(allows(Action.ALLOW, policy("p", something, nothing))).isFalse();
    assertThat(allows(Action.ALLOW, policy("p", nothing, something))).isFalse();
    assertThat(allows(Action.ALLOW, policy("p", something, NEVER))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"ALLOW, false", "DENY, false", "ALLOW, true", "DENY, true"})
  void requestIsDeniedIfItCannotBeJudged(Action action, boolean overflows) {
    var rules = new Rules(action, List.of(policy("p", UNJUDGED, UNJUDGED)), Audit.NONE);
    var broken =
        new Request() {
          @Override
          public String path() {
            if (overflows) {
              throw new StackOverflowError("in an expression");
            }
            throw new IllegalStateException("a bug");
          }
        };

    assertThat(rules.decide(broken)).isEqualTo(new Decision(false, Optional.empty(), 0));
  }

  @ParameterizedTest(name = "{0} is read as {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "/a/b | ''",
        "//a/b | /a/b",
        "/a///b// | /a/b/",
        "/x/../a/b | /a/b",
        "/../../a/b | /a/b",
        "/a/./b | /a/b",
        "/a/b/. | /a/b/",
        "/a/b/c/.. | /a/b/",
        "/%61/b | /a/b",
        "/x/%2e%2E/a/b | /a/b /x/../a/b",
        "/a/%2e%2e/../b | /b /a/../../b /a/b",
        "/x%2f..%2Fa/b | /a/b /x/../a/b",
        "/x\\..\\a\\b | /a/b /x/../a/b",
        "/x%5c..%5Ca/b | /a/b /x/../a/b /x\\..\\a/b",
        "/x/..//a/b | /a/b /x/../a/b //a/b",
        "/a///../b | /a/../b /b /a//b /a/b",
        "/a/x//../../b | /b /a/x/../../b /a/b",
        "/a/x%2fy/../../b | /a/b /a/x/y/../../b /b",
        "/a/x\\y/../../b | /a/b /a/x/y/../../b /b",
        "/p/x%2fy/../a%2fz | /p/x/y/../a/z /p/x/a/z /p/a%2fz /p/a/z",
        "/a%3Ab%40c | /a:b@c",
        "/%21%24%26%27%28%29%2A%2B%2C%2D%2E%3B%3D%5F%7E | /!$&'()*+,-.;=_~",
        "/%7Ea/%20%c3%a4%zz%4 | /~a/%20%c3%a4%zz%4",
        "/.well-known/a.b..c | ''",
        "// | /",
        "* | ''",
        "'' | ''"
      })
  void aPathIsResolvedAsAppsDo(String path, String resolved) {
    assertThat(ResolvedRequest.resolve(path))
        .containsExactlyInAnyOrder(resolved.isEmpty() ? new String[0] : resolved.split(" "));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/pkg.Svc/Method", "/a/b.c", "/a/%20b%25%3F%c3%A9", "/%", "/%4", "/%+4"})
  void anOrdinaryPathCostsNothing(String path) {
    assertThat(ResolvedRequest.resolve(path)).isSameAs(List.of());
  }

  @Test
  void theQueryOfAResolvedPathIsThatOfTheRequest() {
    var received =
        new Request() {
          @Override
          public String path() {
            return "/x/../a?y=/../z";
          }
        };

    var resolved = new ResolvedRequest(received, "/a");

    assertThat(resolved.path()).isEqualTo("/a?y=/../z").isEqualTo(resolved.header(":path"));
    assertThat(resolved.urlPath()).isSameAs(resolved.urlPath()).isEqualTo("/a");
  }

  @ParameterizedTest(name = "{0} and {1} times /x -> allowed: {2}")
  @CsvSource({
    "/%20, 30000, true",
    "/x/.., 4093, true",
    "/x/.., 4094, false",
    "/x/..//a%2fb, 0, true",
    "/x/..//a%2fb\\c, 0, false",
  })
  void aPathWithTooManyReadingsIsRefused(String path, int more, boolean allowed) {
    var none = new Rules(Action.DENY, List.of(), Audit.NONE);
    var request =
        new Request() {
          @Override
          public String path() {
            return path + "/x".repeat(more);
          }
        };

    assertThat(none.decide(request).isAllowed()).isEqualTo(allowed);
  }

  /** The policies are about what is below {@code /a/}; the names of paths are case-sensitive. */
  @ParameterizedTest(name = "{0} -> ALLOW: {1}, DENY: {2}")
  @CsvSource({
    "/a/b, true, false",
    "/b, false, true",
    "/a/../b, false, false",
    "/x/../a/b, false, false",
    "//a/b, false, false",
    "/%61/b, false, false",
    "/a/%2e%2e/b, false, false",
    "/a//b, true, false",
    "/a/b%2Fc, true, false",
    "/A/b, false, true",
    "/b?x=/../a/b, false, true",
    "/a/x%2fy/../../b, false, false",
    "/x/y%2fz/../../a/b, false, false",
    "/a/x\\y/../../b, false, false",
    "/%61/../b, false, false",
    "/a///../b, false, false",
    "/x/y/../../%61///../b, false, false",
  })
  @Conformance("A41-11")
  void pathsThatAppsReadInTwoWaysMustBeAllowedInBoth(String path, boolean allow, boolean deny) {
    Criterion below = new Criterion.Path(new StringMatcher.Prefix("/a/", false));
    Criterion wire =
        new Criterion.Header(
            ":path",
            new HeaderMatcher.Value(":path", new StringMatcher.Prefix("/a/", false), false));
    var request =
        new Request() {
          @Override
          public String path() {
            return path;
          }

          @Override
          public @Nullable String header(String name) {
            return name.equals(":path") ? path : null;
          }
        };

    for (Criterion criterion : List.of(below, wire)) {
      List<Policy> policies = List.of(policy("p", criterion, Criterion.ALWAYS));
      assertThat(new Rules(Action.ALLOW, policies, Audit.NONE).decide(request).isAllowed())
          .isEqualTo(allow);
      assertThat(new Rules(Action.DENY, policies, Audit.NONE).decide(request).isAllowed())
          .isEqualTo(deny);
    }
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
    public Connection connection() {
      return new Connection(
          new PeerIdentity.Plain(), new IpAddress(false, 0, 1), new IpAddress(false, 0, 2), 80);
    }
  }
}

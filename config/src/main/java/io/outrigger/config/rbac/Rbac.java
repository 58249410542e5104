package io.outrigger.config.rbac;

import io.outrigger.config.route.FilterConfig;
import java.util.List;
import java.util.Optional;

/** The settings of an RBAC filter (A41). If {@code rules} is empty, the filter does nothing. */
public record Rbac(Optional<Rules> rules) implements FilterConfig {
  public static final Rbac OFF = new Rbac(Optional.empty());

  public enum Action {
    ALLOW,
    DENY
  }

  /** A named policy, which matches a request if a permission and a principal match. */
  public record Policy(String name, Criterion permissions, Criterion principals) {
    boolean matches(AuthorizationInput input) {
      return permissions.matches(input) && principals.matches(input);
    }
  }

  /**
   * The decisions that audit loggers record (A59). {@code loggers} is the number of loggers of type
   * {@code StdoutAuditLog}; each logger writes one line per decision.
   */
  public record Audit(boolean denied, boolean allowed, int loggers) {
    public static final Audit NONE = new Audit(false, false, 0);

    private int lines(boolean isAllowed) {
      return (isAllowed ? allowed : denied) ? loggers : 0;
    }
  }

  /** The decision about a request; {@code policy} is the first policy that matched, if any. */
  public record Decision(boolean isAllowed, Optional<String> policy, int auditLines) {}

  /**
   * The policies in the order of their names, and the action on requests that match a policy. For
   * requests that match no policy, the opposite action applies.
   */
  public record Rules(Action action, List<Policy> policies, Audit audit) {
    public Rules {
      policies = List.copyOf(policies);
    }

    /**
     * Decides whether a request is allowed. A request is denied if a criterion throws an exception,
     * or overflows the stack, as RE2/J may. A request is also denied if the policies deny its
     * original path or the path of a {@link ResolvedRequest} (decision config-0085).
     */
    public Decision decide(AuthorizationInput input) {
      try {
        Decision decision = judge(input);
        List<String> others =
            decision.isAllowed() ? ResolvedRequest.resolve(input.urlPath()) : List.of();
        if (others == null) {
          return decision(false, Optional.empty());
        }
        for (String resolved : others) {
          Decision again = judge(new ResolvedRequest(input, resolved));
          if (!again.isAllowed()) {
            return again;
          }
        }
        return decision;
      } catch (RuntimeException | StackOverflowError bug) {
        return decision(false, Optional.empty());
      }
    }

    private Decision judge(AuthorizationInput input) {
      for (Policy policy : policies) {
        if (policy.matches(input)) {
          return decision(action == Action.ALLOW, Optional.of(policy.name()));
        }
      }
      return decision(action == Action.DENY, Optional.empty());
    }

    private Decision decision(boolean isAllowed, Optional<String> policy) {
      return new Decision(isAllowed, policy, audit.lines(isAllowed));
    }

    @Override
    public String toString() {
      return action + " " + policies;
    }
  }
}

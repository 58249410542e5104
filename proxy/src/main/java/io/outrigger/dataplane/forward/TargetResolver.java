package io.outrigger.dataplane.forward;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.route.ForwardTarget;

/** Finds the target of a request. Called on any event loop; never blocks. */
@AnyThread
@FunctionalInterface
public interface TargetResolver {
  /**
   * Returns the target for an authority; creates the target if necessary.
   *
   * @param authority the app's authority; empty only if {@link #needsAuthority} is false
   * @return a failure when no further target may be created ({@code --max-targets})
   */
  Outcome<ForwardTarget> targetFor(CharSequence authority);

  /** Whether a request must have an authority, because the authority selects the target. */
  default boolean needsAuthority() {
    return false;
  }

  /** A resolver without targets, for {@code --serve}: its connections have their own resolvers. */
  static TargetResolver none() {
    Outcome<ForwardTarget> answer = Outcome.failed(RpcStatus.unavailable("no target"));
    return authority -> answer;
  }

  /** A resolver that always returns the given target (SC-02). */
  static TargetResolver fixed(ForwardTarget target) {
    Outcome<ForwardTarget> answer = Outcome.ok(target);
    return authority -> answer;
  }
}

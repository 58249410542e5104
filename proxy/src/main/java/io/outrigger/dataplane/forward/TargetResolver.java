package io.outrigger.dataplane.forward;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.dataplane.route.ForwardTarget;

/** Which target a request is for. Called on any event loop; never blocks. */
@AnyThread
@FunctionalInterface
public interface TargetResolver {
  /**
   * The target for {@code authority}, made on first use where the forward is routed by authority.
   *
   * @param authority what the app sent; empty only where it is not needed
   * @return a failure when no further target may be made ({@code --max-targets})
   */
  Outcome<ForwardTarget> targetFor(CharSequence authority);

  /** Whether a request without an authority has no target. */
  default boolean needsAuthority() {
    return false;
  }

  /** A forward that is bound to one target (SC-02). */
  static TargetResolver fixed(ForwardTarget target) {
    Outcome<ForwardTarget> answer = Outcome.ok(target);
    return authority -> answer;
  }
}

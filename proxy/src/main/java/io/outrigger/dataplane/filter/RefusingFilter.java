package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.config.rbac.AuthorizationInput;
import java.util.Optional;

/** Answers every request that the preceding filters have passed. */
@AnyThread
public record RefusingFilter(FilterStep.Answer answer) implements RouteFilter {
  @Override
  public FilterStep onRequest(FilteredCall call) {
    return answer;
  }

  @Override
  public Optional<Verdict> judge(AuthorizationInput input) {
    return Optional.of(new Verdict("", "", Optional.empty(), Optional.of(answer)));
  }
}

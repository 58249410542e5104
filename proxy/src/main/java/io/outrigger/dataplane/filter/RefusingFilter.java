package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.RequestView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Answers every request that the preceding filters have passed. */
@AnyThread
public record RefusingFilter(FilterStep.Answer answer) implements RouteFilter {
  @Override
  public FilterStep onRequest(FilteredCall call) {
    return answer;
  }

  @Override
  public Optional<FilterVerdict> judge(AuthorizationInput input) {
    return Optional.of(new FilterVerdict("", "", Optional.empty(), Optional.of(answer)));
  }

  @Override
  public FilterPlan plan(RequestView request, Set<String> clusters) {
    return new FilterPlan(
        "refusal",
        new FilterConfig.Router(),
        Map.of("answer", answer.status().toString()),
        List.of(),
        Optional.empty());
  }
}

package io.outrigger.dataplane.filter;

import io.outrigger.base.LoopConfined;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.route.RequestView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The HTTP filters of one route, in the listener's order, without the router filter. */
public record FilterChain(List<RouteFilter> filters) {
  public FilterChain {
    filters = List.copyOf(filters);
  }

  /** Returns a copy of this chain with one more filter at its end, which answers every request. */
  public FilterChain refusing(FilterStep.Answer answer) {
    return new FilterChain(
        Stream.concat(filters.stream(), Stream.of(new Refusal(answer))).toList());
  }

  /** Returns the RBAC filters and, if this chain refuses every request, the filter that does so. */
  public FilterChain guards() {
    return new FilterChain(
        filters.stream()
            .filter(each -> each instanceof RbacFilter || each instanceof Refusal)
            .toList());
  }

  /** Returns the other chain's guards followed by this chain's filters, without duplicates. */
  public FilterChain afterGuardsOf(FilterChain other) {
    List<RouteFilter> all = new ArrayList<>(other.guards().filters);
    for (RouteFilter each : filters) {
      if (!all.contains(each)) { // a set would compute the hash of all policies
        all.add(each);
      }
    }
    return new FilterChain(all);
  }

  private record Refusal(FilterStep.Answer answer) implements RouteFilter {
    @Override
    public FilterStep onRequest(FilteredCall call) {
      return answer;
    }

    @Override
    public Optional<Verdict> judge(AuthorizationInput input) {
      return Optional.of(new Verdict("", "", Optional.empty(), Optional.of(answer)));
    }
  }

  public boolean isEmpty() {
    return filters.isEmpty();
  }

  /** See {@link RouteFilter#plan}. */
  public List<FilterPlan> plan(RequestView request, Set<String> clusters) {
    return filters.stream().flatMap(filter -> filter.plan(request, clusters).stream()).toList();
  }

  /** Returns the results of {@link RouteFilter#judge}, up to and including the first refusal. */
  public List<RouteFilter.Verdict> judge(AuthorizationInput input) {
    List<RouteFilter.Verdict> verdicts = new ArrayList<>();
    for (RouteFilter filter : filters) {
      filter.judge(input).ifPresent(verdicts::add);
      if (!verdicts.isEmpty() && verdicts.get(verdicts.size() - 1).refusal().isPresent()) {
        break;
      }
    }
    return verdicts;
  }

  public Pass begin(FilteredCall call) {
    return new Pass(filters, call);
  }

  /**
   * Runs one request through the filters of its chain in order. The response passes the filters of
   * the request in reverse order.
   */
  @LoopConfined
  public static final class Pass {
    private final List<RouteFilter> filters;
    private final FilteredCall call;
    private int passed;
    private FilterStep.@Nullable Pause pause;

    private Pass(List<RouteFilter> filters, FilteredCall call) {
      this.filters = filters;
      this.call = call;
    }

    /** Returns the next step; must be called again when a {@link FilterStep.Pause} has ended. */
    public FilterStep next() {
      FilterStep.Pause previous = pause;
      if (previous != null) {
        end();
        if (previous.next() != FilterStep.PROCEED) {
          return previous.next();
        }
      }
      while (passed < filters.size()) {
        FilterStep step = filters.get(passed++).onRequest(call);
        if (step instanceof FilterStep.Pause next) {
          pause = next;
        }
        if (step != FilterStep.PROCEED) {
          return step;
        }
      }
      return FilterStep.PROCEED;
    }

    /** Calls {@link RouteFilter#onResponse} of the filters that the request has passed. */
    public void onResponse(BiConsumer<String, String> fields) {
      for (int i = passed - 1; i >= 0; i--) {
        filters.get(i).onResponse(call, fields);
      }
    }

    /** Ends the current {@link FilterStep.Pause}, if any; called when the pause or call is over. */
    public void end() {
      FilterStep.Pause current = pause;
      if (current != null) {
        pause = null;
        current.onEnd().run();
      }
    }
  }
}

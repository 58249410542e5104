package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.dataplane.filter.FilterStep;
import io.outrigger.dataplane.filter.FilteredCall;
import io.outrigger.dataplane.filter.RouteFilter;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.ClusterHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests filters that change a call to another cluster of the route (A60). */
class ClusterChangeTest {
  private final CallScript script = new CallScript().ready();
  private final ClusterHandle other = ClusterHandles.named("other");
  private final FakeBackend inOther = new FakeBackend("10.0.0.2");
  private final List<String> told = new ArrayList<>();
  private final List<Set<String>> choices = new ArrayList<>();

  private record Settings() implements FilterConfig {}

  private final class Changing implements RouteFilter {
    private final String cluster;

    Changing(String cluster) {
      this.cluster = cluster;
    }

    @Override
    public FilterStep onRequest(FilteredCall call) {
      choices.add(call.clusters());
      told.add(call.cluster());
      call.changeCluster(cluster);
      told.add(call.cluster());
      return FilterStep.PROCEED;
    }
  }

  /** The route chooses the first cluster, "pay"; the filter changes to {@code cluster}. */
  private void changesTo(String cluster) {
    script.observer = call -> told.add("ended in " + call.clusterName());
    script.time.inside(
        () -> ClusterHandles.publish(other, Connectivity.READY, call -> inOther.use));
    script.filtered(new Settings(), new Changing(cluster), script.cluster, other);
    script.random.next(Purpose.CLUSTER_WEIGHT, 0);
  }

  private static void answer(FakeBackend backend) {
    backend.stream().handlerOf().onHeaders(headers("grpc-status", "0"), true);
  }

  @Test
  void theCallIsSentAndReportedThere() {
    changesTo("other");
    script.unary();
    assertThat(other.callsInUse()).isEqualTo(1);
    assertThat(script.cluster.callsInUse()).isZero();
    answer(inOther);

    assertThat(choices).containsExactly(Set.of("pay", "other"));
    assertThat(told).containsExactly("pay", "other", "ended in other");
    assertThat(script.backend.streams).isEmpty();
    assertThat(other.callsInUse()).isZero();
  }

  @Test
  void aClusterThatTheRouteDoesNotHaveChangesNothing() {
    changesTo("unheard-of");
    script.unary();
    answer(script.backend);

    assertThat(told).containsExactly("pay", "pay", "ended in pay");
    assertThat(inOther.streams).isEmpty();
  }
}

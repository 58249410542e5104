package io.outrigger.lb.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.lb.testing.Samples;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LbNodeTest {
  private static final LbEndpoint USABLE =
      new LbEndpoint(
          Samples.backend("10.0.0.1:80"),
          new LbEndpoint.Link(Connectivity.READY, SubchannelCalls.NONE));
  private static final LbEndpoint.Detection SEEN =
      new LbEndpoint.Detection(Optional.empty(), 1, 2, List.of());
  private static final LbEndpoint UNHEALTHY =
      LbEndpoint.unconnected(
          new Backend(
              Samples.endpoint(HealthStatus.UNHEALTHY, "10.0.0.2:80"), Samples.locality("z"), 0));
  private static final LbNode TREE =
      new LbNode(
          "pay",
          "override_host",
          Connectivity.READY,
          Map.of("idle_timeout", "PT1H"),
          "no session so far",
          List.of(leaf("x", true), leaf("y", false)),
          List.of(UNHEALTHY),
          true);

  private static LbNode leaf(String name, boolean isUsed) {
    return new LbNode(
        name, "round_robin", Connectivity.READY, Map.of(), "", List.of(), List.of(USABLE), isUsed);
  }

  @Test
  void aTreeThatIsShownIsTheSameTree() {
    assertThat(LbNode.of(visitor -> Samples.show(TREE, visitor))).containsExactly(TREE);
    assertThat(
            LbNode.of(
                visitor -> {
                  Samples.show(leaf("x", true), visitor);
                  Samples.show(TREE, visitor);
                }))
        .containsExactly(leaf("x", true), TREE);
  }

  @Test
  void everyEndpointMayBeShownInAnotherWay() {
    List<LbNode> shown =
        LbNode.of(visitor -> Samples.show(TREE, visitor.mapEndpoints(each -> each.with(SEEN))));

    assertThat(shown.get(0).endpoints()).containsExactly(UNHEALTHY.with(SEEN));
    assertThat(shown.get(0).children())
        .extracting(LbNode::endpoints)
        .containsOnly(List.of(USABLE.with(SEEN)));
  }

  @Test
  void aNodeThatIsNotLeftIsABug() {
    assertThatThrownBy(
            () ->
                LbNode.of(
                    visitor ->
                        visitor.enter(
                            new LbNode("pay", "priority", Connectivity.IDLE, Map.of(), "", true))))
        .hasMessageContaining("not left")
        .hasMessageContaining("pay");
  }

  @Test
  void endpointsThatCallsMayGoToAreCountedWhereverTheyAre() {
    var tally = new EndpointTally();

    Samples.show(TREE, tally);

    assertThat(tally.of(Connectivity.READY)).isEqualTo(2);
    assertThat(tally.of(Connectivity.IDLE)).isZero();
  }
}

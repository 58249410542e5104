package io.outrigger.dataplane.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.ClusterHandles;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ConfigSelectorsTest {
  private final ConfigSelectors selectors =
      new ConfigSelectors("orders", HttpFilters.ofProcess(), false);
  private final Map<String, ClusterHandle> handles = Map.of("a", ClusterHandles.named("a"));

  @Test
  void otherEndpointsLeaveTheSelectorAlone() {
    ConfigSelector first = selectors.next(config("10.0.0.1:80"), handles);

    assertThat(selectors.next(config("10.0.0.2:80"), handles)).isSameAs(first);
  }

  @Test
  void anotherHandleOfTheSameNameMakesAnotherSelector() {
    ConfigSelector first = selectors.next(config("10.0.0.1:80"), handles);

    assertThat(selectors.next(config("10.0.0.1:80"), Map.of("a", ClusterHandles.named("a"))))
        .isNotSameAs(first);
  }

  @Test
  void otherRoutesMakeAnotherSelector() {
    ConfigSelector first = selectors.next(config("10.0.0.1:80"), handles);

    XdsConfig both = Samples.config(Set.of("b"), Samples.eds("b", "10.0.0.1:80"));
    assertThat(selectors.next(both, handles)).isNotSameAs(first);
  }

  /** The filter chain depends on the listener. */
  @Conformance("A39-05")
  @Test
  void anotherListenerWithTheSameRoutesMakesAnotherSelector() {
    XdsConfig config = config("10.0.0.1:80");
    ConfigSelector first = selectors.next(config, handles);
    var listener =
        new ApiListener(
            config.listener().name(),
            config.listener().routes(),
            config.listener().filters(),
            Optional.of(Duration.ofSeconds(1)));

    var changed = new XdsConfig(listener, config.routes(), config.virtualHost(), config.clusters());
    assertThat(selectors.next(changed, handles)).isNotSameAs(first);
  }

  /** A call that the first selector routed to a retired cluster must find another selector. */
  @Test
  void whatFollowsAFailureIsNew() {
    ConfigSelector first = selectors.next(config("10.0.0.1:80"), handles);
    selectors.failing(RpcStatus.unavailable("no listener"));

    assertThat(selectors.next(config("10.0.0.1:80"), handles)).isNotSameAs(first);
  }

  @Test
  void aFailureMayPass() {
    RpcStatus status = RpcStatus.unavailable("no listener");

    ConfigSelector failing = selectors.failing(status);

    assertThat(failing.failure()).contains(status);
    assertThat(failing.mayRecover()).isTrue();
  }

  private static XdsConfig config(String endpoint) {
    return Samples.config(Set.of("a"), Samples.eds("a", endpoint));
  }
}

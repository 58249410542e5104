package io.outrigger.lb.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.lb.load.LoadRegistry.LoadMeter;
import io.outrigger.testing.FakeControlLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class LoadRegistryTest {
  private static final XdsServer ONE =
      new XdsServer(
          "one", new XdsServer.ChannelCredentials.Insecure(), List.of(), ServerFeatures.NONE);

  private final FakeControlLoop loop = new FakeControlLoop();
  private final LoadRegistry registry = new LoadRegistry(loop);
  private final LoadMeter meter = meter(false);

  @Test
  void whoReportsHearsOfEveryServerThatComesOrGoes() {
    List<Set<XdsServer>> heard = new ArrayList<>();
    loop.inside(() -> registry.onServersChanged(() -> heard.add(registry.servers())));

    LoadRegistry.Counts pay = join("pay");
    assertThat(heard).containsExactly(Set.of(ONE));
    loop.inside(() -> registry.join(ONE, "orders", "", meter(true)));
    loop.inside(() -> registry.take(ONE, cluster -> true));
    assertThat(heard).hasSize(1);

    loop.inside(() -> pay.leave(meter));
    assertThat(heard).hasSize(1);
    loop.inside(() -> registry.take(ONE, cluster -> true));
    assertThat(heard).containsExactly(Set.of(ONE), Set.of());
  }

  @Test
  void clustersThatAreReportedElsewhereAreNotKeptForEver() {
    for (int i = 0; i < LoadRegistry.MAX_WITHOUT_METER + 10; i++) {
      LoadRegistry.Counts counts = join("c" + i);
      loop.inside(() -> counts.leave(meter));
    }

    loop.inside(
        () ->
            assertThat(registry.take(ONE, cluster -> true))
                .hasSize(LoadRegistry.MAX_WITHOUT_METER)
                .first()
                .satisfies(load -> assertThat(load.cluster()).isEqualTo("c10")));
  }

  @Test
  void itIsUsedOnTheControlLoopAlone() {
    LoadRegistry.Counts counts = join("pay");

    List<ThrowingCallable> calls =
        List.of(
            () -> registry.join(ONE, "pay", "", meter),
            () -> counts.leave(meter),
            counts::onClosed,
            registry::servers,
            () -> registry.onServersChanged(() -> {}),
            () -> registry.take(ONE, cluster -> true));

    assertThat(calls)
        .allSatisfy(call -> assertThatThrownBy(call).isInstanceOf(IllegalStateException.class));
  }

  private LoadRegistry.Counts join(String cluster) {
    List<LoadRegistry.Counts> joined = new ArrayList<>();
    loop.inside(() -> joined.add(registry.join(ONE, cluster, "", meter)));
    return joined.get(0);
  }

  private static LoadMeter meter(boolean isOver) {
    return new LoadMeter() {
      @Override
      public void collect(LoadSums sums) {}

      @Override
      public boolean isOver() {
        return isOver;
      }
    };
  }
}

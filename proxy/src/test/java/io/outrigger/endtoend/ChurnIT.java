package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.outrigger.base.WaitingClock;
import io.outrigger.endtoend.Churn.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A31's promise: no change of the configuration costs a call. Each kind of change 20 times a second
 * under 1,000 unary calls a second and 50 open streams, and 200 calls a second to a backend that
 * ends its connections every 100 ms; half of the kinds with one event loop, half with two; for
 * {@code outrigger.churn.seconds}, 2 unless set.
 */
class ChurnIT {
  private static final Duration EACH = Duration.ofMillis(50);
  private static final List<Churn> KINDS = List.of(Churn.values());

  @ParameterizedTest
  @EnumSource(Churn.class)
  void noCallIsLost(Churn churn) throws Exception {
    long steps = Long.getLong("outrigger.churn.seconds", 2) * 20;
    try (Mesh mesh = new Mesh(1 + KINDS.indexOf(churn) % 2)) {
      List<Backend> backends = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        backends.add(mesh.backend("b" + i).quiet());
      }
      var brief = mesh.keep(new StrictBackend("brief", World.LIMITS));
      var world = new World(mesh.controlPlane, backends, brief);
      world.start();
      mesh.startReady();
      ManagedChannel app =
          NettyChannelBuilder.forAddress(mesh.address()).usePlaintext().disableRetry().build();
      mesh.keep(app::shutdownNow);
      Load unary = mesh.load(mesh.app(), "test.Pay/Charge", 1_000);
      Load briefly = mesh.load(mesh.app(), World.BRIEF + "Charge", 200);
      var streams = mesh.keep(new StreamLoad(app, "test.Pay/Talk", 50));

      long start = WaitingClock.nanoTime();
      for (int step = 0; step < steps; step++) {
        churn.apply(world, step);
        Duration due = EACH.multipliedBy(step + 1);
        Duration passed = Duration.ofNanos(WaitingClock.nanoTime() - start);
        if (passed.compareTo(due) < 0) {
          WaitingClock.sleep(due.minus(passed));
        }
      }
      unary.close();
      briefly.close();
      streams.close();

      assertThat(unary.failures()).isEmpty();
      assertThat(briefly.failures()).isEmpty();
      assertThat(streams.failures()).isEmpty();
      assertThat(mesh.controlPlane.nacks()).as("changes that were refused").isEmpty();
      assertThat(unary.succeeded()).isGreaterThan(steps);
      assertThat(streams.succeeded()).isPositive();
    }
  }
}

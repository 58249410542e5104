package io.outrigger.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.BalancingPolicy.WeightedRoundRobin;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.endpoint.weighted.WeightedRoundRobinPolicy;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.testing.Conformance;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Equal weights give equal shares here and in gRPC's own scheduler, asked by reflection. */
class StrideOracleTest {
  private static final int PICKS = 20_000;

  @Conformance({"A58-02", "A58-03"})
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1 1",
        "1 2 3 4 5",
        "0 100 300",
        "0 0 5",
        "1 1000",
        "0.001 1 1000 1 0.5",
        "10 10 10 10 10 10 10 10 10 10 10 100000",
      })
  void sharesAreThoseOfGrpc(String text) throws Exception {
    double[] weights =
        Arrays.stream(text.split(" ", -1)).mapToDouble(Double::parseDouble).toArray();

    int[] ours = ours(weights);
    int[] theirs = theirs(weights);

    for (int i = 0; i < weights.length; i++) {
      assertThat(ours[i]).isBetween(theirs[i] - 5, theirs[i] + 5);
    }
  }

  private static int[] ours(double[] weights) {
    var parent = new FakeParent();
    List<String> addresses =
        IntStream.range(0, weights.length).mapToObj(i -> "10.0.0." + i + ":80").toList();
    var settings =
        new WeightedRoundRobin(
            false,
            Duration.ofSeconds(10),
            Duration.ZERO,
            Duration.ofSeconds(180),
            Duration.ofSeconds(1),
            1,
            List.of());
    var config =
        new LbConfig.Leaf(
            settings,
            Samples.backends(addresses.toArray(String[]::new)),
            LocalityWeights.EQUAL,
            new FailureNote("pay", Samples.NOTE),
            "");
    var policy = new WeightedRoundRobinPolicy(parent.context(1), config, parent);
    parent.loop().inside(() -> policy.update(config));
    parent.loop().inside(parent.connector()::readyAll);
    Set<String> reported = new HashSet<>();
    while (reported.size() < weights.length) { // each endpoint has its turn while none has a weight
      var use = (PickResult.Use) parent.picker().pick(TestCall.CALL);
      String address = use.subchannel().address().toString();
      double weight = weights[addresses.indexOf(address)];
      use.subchannel()
          .onBackendMetrics(
              TestCall.CALL, new BackendMetrics(1, 0, 0, weight, 0, Map.of(), Map.of()));
      reported.add(address);
    }
    parent.advance(Duration.ofSeconds(1));
    Map<String, Integer> shares = parent.shares(PICKS);
    return addresses.stream().mapToInt(address -> shares.getOrDefault(address, 0)).toArray();
  }

  private static int[] theirs(double[] weights) throws ReflectiveOperationException {
    Class<?> type =
        Class.forName("io.grpc.xds.WeightedRoundRobinLoadBalancer$StaticStrideScheduler");
    Constructor<?> constructor = type.getDeclaredConstructor(float[].class, AtomicInteger.class);
    constructor.setAccessible(true);
    Method pick = type.getDeclaredMethod("pick");
    pick.setAccessible(true);
    float[] floats = new float[weights.length];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = (float) weights[i];
    }
    Object scheduler = constructor.newInstance(floats, new AtomicInteger());
    int[] counts = new int[weights.length];
    for (int i = 0; i < PICKS; i++) {
      counts[(int) pick.invoke(scheduler)]++;
    }
    return counts;
  }
}

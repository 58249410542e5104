package io.outrigger.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.EquivalentAddressGroup;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.endpoint.ring.RingHashPolicy;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.testing.Conformance;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Equal hashes lead to equal endpoints on our ring and on that of gRPC's own client, which is asked
 * for it by reflection. Its addresses are given without the slash that Java writes before them, as
 * the other languages do (A42-04).
 */
class RingOracleTest {
  private static final int HASHES = 5_000;

  @Conformance({"A42-01", "A42-04", "A42-05", "A42-06"})
  @ParameterizedTest(name = "{0} endpoints, weights up to {1}, size {2} to {3}")
  @CsvSource({
    "1,   1,       1024, 4096",
    "2,   1,       1024, 4096",
    "10,  1,       1024, 4096",
    "10,  7,       1024, 4096",
    "100, 1,       1,    4096",
    "100, 100,     1024, 4096",
    "7,   1000000, 1024, 1024",
    "500, 3,       64,   300",
    "9,   1,       4096, 4096", // 4,097 entries: the shares add up to a little more than 4,096
    "20,  1,       4096, 4096",
  })
  void equalHashesLeadToEqualEndpoints(int count, int heaviest, long min, long max)
      throws Exception {
    var random = new Random(count + heaviest);
    Map<String, Long> weights = new LinkedHashMap<>();
    new TreeMap<>(addresses(count, heaviest, random)).forEach(weights::put);
    FakeParent ours = ours(weights, min, max);
    NavigableMap<Long, String> theirs = theirs(shares(weights), min, max);

    var hashes = LongStream.generate(random::nextLong).limit(HASHES);
    var entries = theirs.keySet().stream().mapToLong(Long::longValue);
    for (long hash : LongStream.concat(hashes, entries).toArray()) {
      var entry = theirs.ceilingEntry(hash);
      String expected = entry != null ? entry.getValue() : theirs.firstEntry().getValue();
      assertThat(picked(ours, TestCall.hashed(hash))).isEqualTo(expected);
    }
  }

  /** Our choice, which is connected first if need be. */
  private static String picked(FakeParent ours, TestCall call) {
    if (ours.picker().pick(call) instanceof PickResult.Queue) {
      ours.loop().run();
      ours.loop().inside(ours.connector()::readyAll);
    }
    return ours.picked(call);
  }

  private static Map<String, Long> addresses(int count, int heaviest, Random random) {
    Map<String, Long> weights = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      String address =
          i % 3 == 0
              ? "[2001:db8::" + Integer.toHexString(i + 1) + "]:443"
              : "10.1." + i / 250 + "." + i % 250 + ":" + (8000 + i);
      weights.put(address, 1L + random.nextInt(heaviest));
    }
    return weights;
  }

  /** What gRPC's resolver makes of the weights within one locality (A113). */
  private static Map<String, Long> shares(Map<String, Long> weights) {
    long sum = weights.values().stream().mapToLong(Long::longValue).sum();
    Map<String, Long> shares = new LinkedHashMap<>();
    weights.forEach((address, weight) -> shares.put(address, Math.max(1, (weight << 31) / sum)));
    return shares;
  }

  /** Our policy, whose endpoints are IDLE. */
  private static FakeParent ours(Map<String, Long> weights, long min, long max) {
    var parent = new FakeParent();
    List<Backend> backends =
        weights.entrySet().stream()
            .map(
                entry ->
                    new Backend(
                        Samples.endpoint(entry.getKey(), entry.getValue()),
                        Samples.locality("z"),
                        0))
            .toList();
    var config =
        new LbConfig.Leaf(
            new BalancingPolicy.RingHash(min, max, ""),
            backends,
            LocalityWeights.EQUAL,
            new FailureNote("pay", Samples.NOTE),
            "");
    var policy = new RingHashPolicy(parent.context(1), config, parent);
    parent.loop().inside(() -> policy.update(config));
    return parent;
  }

  /** Endpoints by hash, in the order of unsigned numbers. */
  private static NavigableMap<Long, String> theirs(Map<String, Long> weights, long min, long max)
      throws ReflectiveOperationException {
    Map<EquivalentAddressGroup, Long> groups = new LinkedHashMap<>();
    weights.forEach(
        (address, weight) ->
            groups.put(new EquivalentAddressGroup(new NamedAddress(address)), weight));
    long total = weights.values().stream().mapToLong(Long::longValue).sum();
    double least = weights.values().stream().mapToLong(Long::longValue).min().orElseThrow();
    double share = least / total;
    double scale = Math.min(Math.ceil(share * min) / share, max); // A42 "Ring Construction"
    Class<?> balancer = Class.forName("io.grpc.xds.RingHashLoadBalancer");
    Method build = balancer.getDeclaredMethod("buildRing", Map.class, long.class, double.class);
    build.setAccessible(true);
    Class<?> entryType = Class.forName("io.grpc.xds.RingHashLoadBalancer$RingEntry");
    Field hash = entryType.getDeclaredField("hash");
    hash.setAccessible(true);
    Field key = entryType.getDeclaredField("addrKey");
    key.setAccessible(true);
    Class<?> endpointType = key.getType();
    Field addresses = endpointType.getDeclaredField("addrs");
    addresses.setAccessible(true);
    NavigableMap<Long, String> ring = new TreeMap<>(Long::compareUnsigned);
    for (Object entry : (Collection<?>) build.invoke(null, groups, total, scale)) {
      Object first = ((Collection<?>) addresses.get(key.get(entry))).iterator().next();
      ring.putIfAbsent(hash.getLong(entry), first.toString());
    }
    return ring;
  }

  /** An address that is written as it is called. */
  private static final class NamedAddress extends SocketAddress {
    private static final long serialVersionUID = 1;

    private final String name;

    NamedAddress(String name) {
      this.name = name;
    }

    @Override
    public String toString() {
      return name;
    }
  }
}

package io.outrigger.lb.endpoint.ring;

import static java.util.Comparator.comparing;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Xxh64;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * After any course of updates and failures requests go where a ring leads that is written down from
 * the text of A42 and A113, all anew.
 */
class RingUpdatesTest {
  private static final int STEPS = 60;
  private static final int ENDPOINTS = 30;

  private final FakeParent parent = new FakeParent();
  private Map<Integer, Backend> known = new HashMap<>();
  private LbConfig.Leaf config =
      new LbConfig.Leaf(
          new BalancingPolicy.RingHash(1, 1, ""), List.of(), LocalityWeights.EQUAL, note(0), "");
  private final RingHashPolicy policy = new RingHashPolicy(parent.context(1), config, parent);

  /** An entry of the ring and the endpoint that it leads to. */
  private record Entry(long hash, String address) {}

  @Conformance({"A42-01", "A42-05", "A76-03"})
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void requestsGoWhereARingLeadsThatIsMadeAnew(long seed) {
    var random = new Random(seed);
    for (int step = 0; step < STEPS; step++) {
      update(random);
      List<Entry> ring = ring();
      for (int i = 0; i < 10; i++) {
        long hash = hash(ring, random);
        check(ring, hash);
        parent.loop().run();
        happen(hash, random);
        check(ring, hash);
      }
    }
  }

  /** Some come, some go, and some become others. */
  private void update(Random random) {
    for (int i = random.nextInt(6); i > 0; i--) {
      int number = random.nextInt(ENDPOINTS);
      if (random.nextInt(3) == 0) {
        known.remove(number);
      } else {
        known.put(number, backend(number, random));
      }
    }
    if (random.nextInt(20) == 0) {
      known = new HashMap<>();
    }
    List<Backend> backends = new ArrayList<>(known.values());
    if (random.nextInt(4) == 0) {
      Collections.shuffle(backends, random);
    }
    boolean resized = random.nextInt(5) == 0;
    boolean reweighed = random.nextInt(5) == 0;
    config =
        new LbConfig.Leaf(
            resized
                ? new BalancingPolicy.RingHash(1 + random.nextInt(300), 300, "")
                : config.settings(),
            backends,
            reweighed ? weights(random) : config.weights(),
            note(random.nextInt(2)),
            "");
    parent.loop().inside(() -> policy.update(config));
  }

  /** Few keys: some endpoints share theirs. */
  private static Backend backend(int number, Random random) {
    String key = random.nextInt(3) == 0 ? "key-" + random.nextInt(8) : "";
    var endpoint =
        new Endpoint(
            List.of(Samples.address("10.0.0." + number + ":80")),
            HealthStatus.HEALTHY,
            1 + random.nextInt(9),
            "",
            key);
    return new Backend(endpoint, Samples.locality("z" + random.nextInt(3)), 0);
  }

  private static LocalityWeights weights(Random random) {
    return new LocalityWeights(
        Map.of(
            Samples.locality("z0"), 1L + random.nextInt(3),
            Samples.locality("z1"), 1L + random.nextInt(3)));
  }

  private static FailureNote note(int version) {
    return new FailureNote("pay", "version " + version);
  }

  private void happen(long hash, Random random) {
    List<String> open = parent.connector().open();
    switch (random.nextInt(4)) {
      case 0 -> parent.loop().inside(parent.connector()::readyAll);
      case 1 -> parent.advance(Duration.ofSeconds(random.nextInt(30)));
      case 2 -> {
        if (!open.isEmpty()) {
          parent.end(open.get(random.nextInt(open.size())));
        }
      }
      default -> {
        parent.picker().pick(TestCall.hashed(hash));
        parent.loop().run();
      }
    }
  }

  /** A hash that an entry has, or any. */
  private static long hash(List<Entry> ring, Random random) {
    return ring.isEmpty() || random.nextBoolean()
        ? random.nextLong()
        : ring.get(random.nextInt(ring.size())).hash();
  }

  private void check(List<Entry> ring, long hash) {
    PickResult picked = parent.picker().pick(TestCall.hashed(hash));
    if (ring.isEmpty()) {
      assertThat(picked).isInstanceOf(PickResult.Fail.class);
      return;
    }
    Map<String, LbEndpoint> endpoints = endpoints();
    int first = first(ring, hash);
    for (int passed = 0; passed < ring.size(); passed++) {
      String address = ring.get((first + passed) % ring.size()).address();
      LbEndpoint endpoint = endpoints.get(address);
      if (endpoint.state() == Connectivity.READY) {
        assertThat(((PickResult.Use) picked).subchannel().address()).hasToString(address);
        return;
      }
      if (endpoint.state() != Connectivity.TRANSIENT_FAILURE) {
        assertThat(picked).isInstanceOf(PickResult.Queue.class);
        return;
      }
    }
    assertThat(((PickResult.Fail) picked).status().message())
        .contains(ring.get(first).address())
        .contains(config.note().note());
  }

  private Map<String, LbEndpoint> endpoints() {
    List<LbEndpoint> endpoints = new ArrayList<>();
    parent.loop().inside(() -> endpoints.addAll(Samples.describe(policy, "ring").endpoints()));
    return endpoints.stream()
        .collect(Collectors.toMap(each -> each.address().toString(), each -> each));
  }

  private static int first(List<Entry> ring, long hash) {
    for (int place = 0; place < ring.size(); place++) {
      if (Long.compareUnsigned(ring.get(place).hash(), hash) >= 0) {
        return place;
      }
    }
    return 0;
  }

  /** A42 "Ring Construction", of the weights of A113. */
  private List<Entry> ring() {
    List<Backend> ordered = new ArrayList<>(config.backends());
    ordered.sort(comparing(RingUpdatesTest::key).thenComparing(RingUpdatesTest::address));
    double total = ordered.stream().mapToLong(this::weight).sum();
    double least = ordered.stream().mapToLong(this::weight).min().orElse(1);
    double share = least / total;
    var sizes = (BalancingPolicy.RingHash) config.settings();
    double size = Math.min(Math.ceil(share * sizes.minSize()) / share, sizes.maxSize());
    List<Entry> ring = new ArrayList<>();
    double target = 0;
    for (Backend backend : ordered) {
      target += size * (weight(backend) / total);
      for (int i = 0; ring.size() < target; i++) {
        ring.add(new Entry(Xxh64.hash(key(backend) + "_" + i), address(backend)));
      }
    }
    ring.sort((a, b) -> Long.compareUnsigned(a.hash(), b.hash()));
    return ring;
  }

  private long weight(Backend backend) {
    Map<Locality, List<Backend>> localities =
        config.backends().stream().collect(Collectors.groupingBy(Backend::locality));
    ToLongFunction<Locality> weight = each -> config.weights().weights().getOrDefault(each, 1L);
    long all = localities.keySet().stream().mapToLong(weight).sum();
    long sum =
        localities.get(backend.locality()).stream()
            .mapToLong(each -> each.endpoint().weight())
            .sum();
    long localityShare = (weight.applyAsLong(backend.locality()) << 31) / all;
    long share = (backend.endpoint().weight() << 31) / sum;
    return Math.max(1, (localityShare * share) >> 31);
  }

  private static String key(Backend backend) {
    String own = backend.endpoint().hashKey();
    return own.isEmpty() ? address(backend) : own;
  }

  private static String address(Backend backend) {
    return backend.endpoint().address().toString();
  }
}

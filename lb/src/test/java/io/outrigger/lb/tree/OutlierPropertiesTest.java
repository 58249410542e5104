package io.outrigger.lb.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.cluster.OutlierDetection.FailurePercentage;
import io.outrigger.config.cluster.OutlierDetection.SuccessRate;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.testing.Detections;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.OutlierEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds whatever happens: endpoints, settings, failures and time change at random. */
class OutlierPropertiesTest {
  private static final int STEPS = 150;
  private static final int ENDPOINTS = 12;

  private final LbScript lb = new LbScript();
  private final Set<String> bad = new HashSet<>();
  private Set<String> known = Set.of();
  private int seen;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void theEjectedGetNoCallsAndReturn(long seed) {
    var random = new Random(seed);
    apply(random, detection(random));
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(6)) {
        case 0 -> apply(random, detection(random));
        case 1 -> bad.clear();
        case 2 -> bad.add(address(random.nextInt(ENDPOINTS)));
        case 3 -> lb.advance(Duration.ofMillis(random.nextInt(30_000)));
        default -> calls(random.nextInt(200));
      }
      lb.loop().inside(() -> lb.connector().readyAll());
      checkEjections();
      calls(5);
    }

    bad.clear();
    lb.advance(Duration.ofMinutes(30));
    assertThat(known).noneMatch(this::isEjected);
    assertThat(lb.shares("a", 1_000)).containsOnlyKeys(known.toArray(String[]::new));
    lb.loop().inside(() -> lb.manager().close());
    assertThat(lb.loop().pendingTimers()).isZero();
  }

  /** An ejection has room: it is the first, or the share before it is below the maximum. */
  private void checkEjections() {
    List<OutlierEvent> events = lb.outlierEvents();
    for (OutlierEvent event : events.subList(seen, events.size())) {
      if (event instanceof OutlierEvent.Ejected ejected) {
        assertThat(ejected.before().ejected() + 1).isEqualTo(ejected.after().ejected());
        assertThat(ejected.after().ejected()).isLessThanOrEqualTo(ejected.after().total());
        assertThat(ejected.multiplier()).isPositive();
      }
    }
    seen = events.size();
  }

  private void calls(int count) {
    for (int i = 0; i < count; i++) {
      if (lb.handle("a").picker().pick(TestCall.CALL) instanceof PickResult.Use use) {
        String address = use.subchannel().address().toString();
        assertThat(isEjected(address)).as(address + " is ejected").isFalse();
        assertThat(known).contains(address);
        use.subchannel()
            .callEnded(
                TestCall.CALL, bad.contains(address) ? CallOutcome.FAILURE : CallOutcome.SUCCESS);
      } else {
        assertThat(known).allMatch(this::isEjected);
      }
    }
  }

  private boolean isEjected(String address) {
    LbEndpoint endpoint = lb.endpoint("a", address);
    return endpoint.detection().ejection().isPresent();
  }

  /** A few endpoints in a random order, in one priority and one or two localities. */
  private void apply(Random random, Optional<OutlierDetection> detection) {
    List<String> addresses = new ArrayList<>();
    for (int i = 0; i < ENDPOINTS; i++) {
      if (random.nextInt(4) > 0) {
        addresses.add(address(i));
      }
    }
    if (addresses.isEmpty()) {
      addresses.add(address(0));
    }
    Collections.shuffle(addresses, random);
    known = Set.copyOf(addresses);
    int cut = random.nextInt(addresses.size());
    List<LocalityEndpoints> localities = new ArrayList<>();
    localities.add(
        Samples.zone("x", addresses.subList(cut, addresses.size()).toArray(String[]::new)));
    if (cut > 0) {
      localities.add(Samples.zone("y", addresses.subList(0, cut).toArray(String[]::new)));
    }
    lb.apply(
        Samples.config(
            Set.of("a"),
            Samples.watched(
                Samples.eds("a").cluster(), detection, Samples.endpoints(List.of(localities)))));
    lb.loop().inside(() -> lb.connector().readyAll());
  }

  private static Optional<OutlierDetection> detection(Random random) {
    if (random.nextInt(10) == 0) {
      return Optional.empty();
    }
    return Optional.of(
        Detections.timed(
            Detections.of(
                random.nextBoolean()
                    ? Optional.of(new SuccessRate(random.nextInt(2_000), 80, 3, 5))
                    : Optional.empty(),
                random.nextInt(4) > 0
                    ? Optional.of(new FailurePercentage(random.nextInt(100), 90, 1, 5))
                    : Optional.empty(),
                random.nextInt(101)),
            1 + random.nextInt(20),
            random.nextInt(40),
            random.nextInt(100)));
  }

  private static String address(int number) {
    return "10.0.0." + number + ":80";
  }

  /** However many hosts and calls: those that do the same are never ejected for their rate. */
  @Test
  void equalEndpointsAreNeverEjected() {
    String[] addresses = new String[ENDPOINTS];
    for (int i = 0; i < ENDPOINTS; i++) {
      addresses[i] = address(i);
    }
    lb.apply(
        Samples.config(
            Set.of("a"),
            Samples.watched(
                "a",
                Detections.of(Optional.of(new SuccessRate(0, 100, 1, 1)), Optional.empty(), 100),
                Samples.priorities(Samples.zone("z", addresses)))));
    lb.loop().inside(() -> lb.connector().readyAll());
    for (int failing = 0; failing <= 10; failing++) {
      for (int round = 0; round < 10; round++) {
        boolean fails = round < failing;
        lb.traffic("a", ENDPOINTS, address -> fails);
      }
      lb.advance(Duration.ofSeconds(10));
    }

    assertThat(lb.outlierEvents()).isEmpty();
  }
}

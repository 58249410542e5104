package io.outrigger.lb.override;

import static io.outrigger.config.endpoint.HealthStatus.DRAINING;
import static io.outrigger.config.endpoint.HealthStatus.HEALTHY;
import static io.outrigger.config.endpoint.HealthStatus.UNHEALTHY;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.SessionCall;
import io.outrigger.lb.testing.TestCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * The policy against a simple model of A75: whatever endpoints come and go, connections do, and
 * policies beneath take and give up, a session's pick is the one of A75's text, nobody is connected
 * who should not be, and every subchannel is closed exactly once.
 */
class OverrideHostProperties {
  private static final List<String> ADDRESSES =
      List.of("10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80", "10.0.0.4:80");
  private static final long SWEEP_SECONDS = 5;

  /** One thing that happens. */
  sealed interface Event {}

  /** The endpoints and their health; who is not in it is gone. */
  record Update(Map<String, HealthStatus> endpoints, Set<HealthStatus> statuses, int idleSeconds)
      implements Event {}

  /** The policy beneath wants a subchannel to the address, or has no use for it any more. */
  record Toggle(String address) implements Event {}

  /** The connection comes into that state. */
  record Become(String address, Connectivity state) implements Event {}

  /** A call whose session prefers these; without any, it begins a session. */
  record Pick(List<String> preferred) implements Event {}

  record Wait(int seconds) implements Event {}

  @Provide
  Arbitrary<List<Event>> events() {
    Arbitrary<String> address = Arbitraries.of(ADDRESSES);
    Arbitrary<Event> update =
        Combinators.combine(
                Arbitraries.maps(address, Arbitraries.of(HEALTHY, HEALTHY, DRAINING, UNHEALTHY)),
                Arbitraries.of(
                    Set.of(HEALTHY, DRAINING),
                    Set.of(HEALTHY),
                    Set.of(DRAINING),
                    Set.<HealthStatus>of()),
                Arbitraries.of(0, 1, 7, 10, 3600))
            .as(Update::new);
    Arbitrary<Event> toggle = address.map(Toggle::new);
    Arbitrary<Event> become =
        Combinators.combine(address, Arbitraries.of(Connectivity.class)).as(Become::new);
    Arbitrary<Event> pick = address.list().uniqueElements().ofMaxSize(3).map(Pick::new);
    Arbitrary<Event> wait = Arbitraries.of(1, 2, 5, 10, 20).map(Wait::new);
    return Arbitraries.frequencyOf(
            Tuple.of(2, update),
            Tuple.of(4, toggle),
            Tuple.of(6, become),
            Tuple.of(6, pick),
            Tuple.of(3, wait))
        .list()
        .ofMaxSize(60);
  }

  @Property(tries = 1_000, seed = "75")
  void thePolicyDoesWhatTheModelSays(@ForAll("events") List<Event> events) {
    var script = new OverrideHostScript();
    var model = new Model();
    Map<String, HealthStatus> all = new HashMap<>();
    ADDRESSES.forEach(address -> all.put(address, HEALTHY));
    update(script, model, new Update(all, Set.of(HEALTHY), 10));
    script.pick(SessionCall.to()); // has the hosts looked up

    for (Event event : events) {
      happen(script, model, event);
      model.check(script);
    }
    script.close();

    assertThat(script.open()).isEmpty();
    assertThat(script.closedTwice()).isEmpty();
  }

  private static void happen(OverrideHostScript script, Model model, Event event) {
    if (event instanceof Update update) {
      update(script, model, update);
    } else if (event instanceof Toggle toggle) {
      if (model.isBalanced(toggle.address())) {
        script.toggle(toggle.address());
        model.toggle(toggle.address());
      }
    } else if (event instanceof Become become) {
      if (model.canBecome(become.address(), become.state())) {
        script.become(become.address(), become.state());
        model.states.put(become.address(), become.state());
      }
    } else if (event instanceof Pick pick) {
      pick(script, model, pick.preferred());
    } else if (event instanceof Wait wait) {
      script.advance(Duration.ofSeconds(wait.seconds()));
      model.nowSeconds += wait.seconds();
    }
  }

  private static void update(OverrideHostScript script, Model model, Update update) {
    script.update(update.endpoints(), update.statuses(), Duration.ofSeconds(update.idleSeconds()));
    model.update(update);
  }

  private static void pick(OverrideHostScript script, Model model, List<String> preferred) {
    var call = SessionCall.to(preferred.toArray(String[]::new));
    Expected expected = model.pick(preferred);

    PickResult result = script.pick(call);

    if (expected.waits()) {
      assertThat(result).isInstanceOf(PickResult.Queue.class);
      assertThat(call.cookie()).isEmpty();
      if (expected.connects()) {
        String address = expected.address().orElseThrow();
        model.states.put(address, Connectivity.CONNECTING);
        assertThat(script.states().get(address)).isEqualTo(Connectivity.CONNECTING);
      }
    } else if (expected.address().isPresent()) {
      assertThat(result).isInstanceOf(PickResult.Use.class);
      String address = ((PickResult.Use) result).subchannel().address().toString();
      assertThat(address).isEqualTo(expected.address().get());
      assertThat(call.cookie()).isEqualTo(address);
    } else {
      assertThat(result).isInstanceOf(PickResult.Fail.class);
      assertThat(call.cookie()).isEmpty();
    }
    assertThat(script.pick(TestCall.CALL))
        .isInstanceOf(
            model.firstReadyOfBalancer().isPresent()
                ? PickResult.Use.class
                : PickResult.Fail.class);
  }

  /** What a pick is to do: go there; wait, perhaps connecting; or fail. */
  record Expected(Optional<String> address, boolean waits, boolean connects) {}

  /** A75 in the plainest words. */
  private static final class Model {
    private long nowSeconds;
    private long idleSeconds;

    /** When the idle timeout became what it is: what is older then is due from then on. */
    private long idleSetAt;

    private Map<String, HealthStatus> endpoints = Map.of();
    private Set<HealthStatus> statuses = Set.of();
    private final Map<String, Long> lastUse = new HashMap<>();

    /** Those the policy beneath has. */
    private final Set<String> balancer = new HashSet<>();

    /** The state of every subchannel that exists. */
    private final Map<String, Connectivity> states = new HashMap<>();

    void update(Update update) {
      Map<String, HealthStatus> before = endpoints;
      endpoints = update.endpoints();
      statuses = update.statuses();
      if (idleSeconds != update.idleSeconds()) {
        idleSeconds = update.idleSeconds();
        idleSetAt = nowSeconds;
      }
      lastUse.keySet().retainAll(endpoints.keySet());
      lastUse.keySet().removeIf(address -> !isBalanced(address) && !isReachable(address));
      for (String address : ADDRESSES) {
        boolean left = before.containsKey(address) && !endpoints.containsKey(address);
        if (balancer.contains(address) && !isBalanced(address)) {
          giveUp(address);
        }
        if (left || (!balancer.contains(address) && !isReachable(address))) {
          states.remove(address);
        }
      }
    }

    void toggle(String address) {
      if (balancer.contains(address)) {
        giveUp(address);
      } else {
        balancer.add(address);
        states.putIfAbsent(address, Connectivity.IDLE);
      }
    }

    private void giveUp(String address) {
      balancer.remove(address);
      if (!isReachable(address) || age(address) >= idleSeconds) {
        states.remove(address);
      }
    }

    boolean isBalanced(String address) {
      return endpoints.get(address) == HEALTHY;
    }

    private boolean isReachable(String address) {
      HealthStatus health = endpoints.get(address);
      return health != null && statuses.contains(health);
    }

    private long age(String address) {
      Long last = lastUse.get(address);
      return last == null ? Long.MAX_VALUE : nowSeconds - last;
    }

    /** What a subchannel may do by itself. */
    boolean canBecome(String address, Connectivity next) {
      Connectivity now = states.get(address);
      if (now == null) {
        return false;
      }
      return switch (now) {
        case IDLE -> false;
        case CONNECTING -> next == Connectivity.READY || next == Connectivity.TRANSIENT_FAILURE;
        case READY -> next == Connectivity.IDLE || next == Connectivity.TRANSIENT_FAILURE;
        case TRANSIENT_FAILURE -> next == Connectivity.IDLE || next == Connectivity.READY;
      };
    }

    Expected pick(List<String> preferred) {
      List<String> candidates = new ArrayList<>(preferred);
      candidates.removeIf(address -> !isReachable(address));
      for (String address : candidates) {
        if (states.get(address) == Connectivity.READY) {
          lastUse.put(address, nowSeconds);
          return new Expected(Optional.of(address), false, false);
        }
      }
      for (String address : candidates) {
        if (states.get(address) == Connectivity.IDLE) {
          return waitsFor(address, true);
        }
      }
      for (String address : candidates) {
        if (states.get(address) == Connectivity.CONNECTING) {
          return waitsFor(address, false);
        }
      }
      for (String address : candidates) {
        if (!states.containsKey(address)) {
          return waitsFor(address, true);
        }
      }
      Optional<String> other = firstReadyOfBalancer();
      other.ifPresent(address -> lastUse.put(address, nowSeconds));
      return new Expected(other, false, false);
    }

    private Expected waitsFor(String address, boolean connects) {
      lastUse.put(address, nowSeconds);
      return new Expected(Optional.of(address), true, connects);
    }

    Optional<String> firstReadyOfBalancer() {
      return ADDRESSES.stream()
          .filter(address -> balancer.contains(address))
          .filter(address -> states.get(address) == Connectivity.READY)
          .findFirst();
    }

    /** Compares, and learns which of those that are due a sweep has taken. */
    void check(OverrideHostScript script) {
      Map<String, Connectivity> real = script.states();
      for (String address : ADDRESSES) {
        boolean keptForSessions = !balancer.contains(address) && states.containsKey(address);
        if (keptForSessions && !real.containsKey(address)) {
          assertThat(age(address)).as(address + " is swept").isGreaterThanOrEqualTo(idleSeconds);
          states.remove(address);
        }
        if (keptForSessions && real.containsKey(address)) {
          long overdue = Math.min(age(address) - idleSeconds, nowSeconds - idleSetAt);
          assertThat(overdue).as(address + " is kept").isLessThan(SWEEP_SECONDS);
        }
      }
      assertThat(real).isEqualTo(states);
      assertThat(script.closedTwice()).isEmpty();
      assertThat(script.twiceOpen()).isEmpty();
      assertThat(Objects.requireNonNull(script.state()))
          .isEqualTo(
              firstReadyOfBalancer().isPresent()
                  ? Connectivity.READY
                  : Connectivity.TRANSIENT_FAILURE);
    }
  }
}

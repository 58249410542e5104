package io.outrigger.dataplane.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.FilterConfig.Abort;
import io.outrigger.config.route.FilterConfig.Delay;
import io.outrigger.config.route.FilterConfig.Fault;
import io.outrigger.config.route.Fraction;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.ScriptedRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterPassTest {
  private static final Fraction HALF = new Fraction(50, 100);

  private static final Fault ABORT =
      new Fault(
          Optional.empty(),
          Optional.of(new Abort(Optional.of(3), Optional.empty(), HALF)),
          Optional.empty());
  private static final FilterConfig SESSION =
      new FilterConfig.StatefulSession(
          Optional.of(new FilterConfig.SessionCookie("sid", "", Duration.ZERO)));

  private final ScriptedRandom random = new ScriptedRandom(3);
  private final AtomicLong active = new AtomicLong();
  private final HttpFilters filters = new HttpFilters(active, (call, filter, decision) -> {});

  @Conformance("A33-03")
  @ParameterizedTest(name = "delay draw {0}, abort draw {1} -> {2}")
  @CsvSource({
    "0,  0,  'pause, answer'",
    "0,  99, 'pause, proceed'",
    "99, 0,  'answer'",
    "99, 99, 'proceed'",
  })
  void delayAndAbortAreDrawnApartAndTheDelayComesFirst(long delay, long abort, String steps) {
    random.next(Purpose.FAULT_DELAY, delay).next(Purpose.FAULT_ABORT, abort);

    assertThat(steps(pass(fault(Optional.empty())))).isEqualTo(steps);
  }

  @Test
  void eachFilterDelays() {
    random.next(Purpose.FAULT_DELAY, 0, 0).next(Purpose.FAULT_ABORT, 99, 0);

    assertThat(steps(pass(fault(Optional.empty()), fault(Optional.empty()))))
        .isEqualTo("pause, pause, answer");
  }

  @Conformance("A33-06")
  @Test
  void aFaultIsActiveFromItsDelayToItsAbort() {
    random.next(Purpose.FAULT_DELAY, 0).next(Purpose.FAULT_ABORT, 0);
    FilterChain.Pass pass = pass(fault(Optional.empty()));
    assertThat(active.get()).isZero();

    pass.next();
    assertThat(active.get()).isEqualTo(1);

    pass.next();
    assertThat(active.get()).isZero();
  }

  @Conformance("A33-06")
  @Test
  void aRequestThatLeavesIsNotActiveAnyMore() {
    random.next(Purpose.FAULT_DELAY, 0).next(Purpose.FAULT_ABORT, 99);
    FilterChain.Pass pass = pass(fault(Optional.empty()));
    pass.next();

    pass.end();
    pass.end();

    assertThat(active.get()).isZero();
  }

  @Conformance("A33-06")
  @Test
  void anAbortWithoutDelayIsOverAtOnce() {
    random.next(Purpose.FAULT_DELAY, 99).next(Purpose.FAULT_ABORT, 0);

    assertThat(pass(fault(Optional.of(1L))).next()).isInstanceOf(FilterStep.Answer.class);
    assertThat(active.get()).isZero();
  }

  @Conformance("A33-06")
  @Test
  void beyondTheLimitNothingIsInjected() {
    random.next(Purpose.FAULT_DELAY, 0, 0, 0).next(Purpose.FAULT_ABORT, 0, 0, 0);
    FilterChain.Pass first = pass(fault(Optional.of(1L)));
    assertThat(first.next()).isInstanceOf(FilterStep.Pause.class);

    assertThat(pass(fault(Optional.of(1L))).next()).isEqualTo(FilterStep.PROCEED);
    first.end();
    assertThat(pass(fault(Optional.of(1L))).next()).isInstanceOf(FilterStep.Pause.class);
  }

  @Conformance("A33-06")
  @Test
  void aLimitOfZeroSwitchesFaultsOff() {
    random.next(Purpose.FAULT_DELAY, 0).next(Purpose.FAULT_ABORT, 0);

    assertThat(pass(fault(Optional.of(0L))).next()).isEqualTo(FilterStep.PROCEED);
    assertThat(active.get()).isZero();
  }

  /** A39: faults and sessions run in one list. */
  @Conformance("A31-43")
  @ParameterizedTest(name = "the session first: {0}")
  @ValueSource(booleans = {true, false})
  void filtersOfDifferentKindsActInTheListenersOrder(boolean sessionFirst) {
    var session = new HttpFilter("session", SESSION);
    var fault = new HttpFilter("fault", ABORT);
    List<HttpFilter> filters = sessionFirst ? List.of(session, fault) : List.of(fault, session);
    random.next(Purpose.FAULT_ABORT, 0);
    var call = new FakeFilteredCall(new Headers(), random);

    FilterStep step = this.filters.chain(filters, List.of()).begin(call).next();

    assertThat(step).isInstanceOf(FilterStep.Answer.class);
    assertThat(call.session() != null).as("a request that is aborted").isEqualTo(sessionFirst);
  }

  @Test
  void theResponseMeetsTheFiltersThatTheRequestHasPassedTheLastOneFirst() {
    var call = new FakeFilteredCall();
    var pass =
        new FilterChain(
                List.of(
                    new Naming("one", FilterStep.PROCEED),
                    new Naming(
                        "two",
                        new FilterStep.Answer(RpcStatus.unavailable("here"), LocalReason.FAULT)),
                    new Naming("three", FilterStep.PROCEED)))
            .begin(call);
    List<String> fields = new ArrayList<>();

    pass.next();
    pass.onResponse((name, value) -> fields.add(name + "=" + value));

    assertThat(fields).containsExactly("x=two", "x=one");
  }

  /** Adds its name to responses. */
  private record Naming(String name, FilterStep step) implements RouteFilter {
    @Override
    public FilterStep onRequest(FilteredCall call) {
      return step;
    }

    @Override
    public void onResponse(FilteredCall call, BiConsumer<String, String> fields) {
      fields.accept("x", name);
    }
  }

  private static Fault fault(Optional<Long> maxActive) {
    return new Fault(
        Optional.of(new Delay(Optional.of(Duration.ofSeconds(1)), HALF)),
        Optional.of(new Abort(Optional.of(3), Optional.empty(), HALF)),
        maxActive);
  }

  private FilterChain.Pass pass(Fault... faults) {
    List<HttpFilter> all = new ArrayList<>();
    for (Fault fault : faults) {
      all.add(new HttpFilter("fault-" + all.size(), fault));
    }
    return filters.chain(all, List.of()).begin(new FakeFilteredCall(new Headers(), random));
  }

  private static String steps(FilterChain.Pass pass) {
    List<String> steps = new ArrayList<>();
    while (true) {
      FilterStep step = pass.next();
      steps.add(
          step instanceof FilterStep.Pause
              ? "pause"
              : step instanceof FilterStep.Answer ? "answer" : "proceed");
      if (!(step instanceof FilterStep.Pause)) {
        return String.join(", ", steps);
      }
    }
  }
}

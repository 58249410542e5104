package io.outrigger.lb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.Test;

class CircuitBreakersTest {
  private final CircuitBreakers breakers = new CircuitBreakers();

  @Conformance({"A32-02", "A32-10"})
  @Test
  void allUsersOfAClusterCountInOnePlace() {
    assertThat(breakers.acquire("pay", "eds")).isSameAs(breakers.acquire("pay", "eds"));
  }

  @Conformance("A32-09")
  @Test
  void anotherServiceNameIsAnotherCounter() {
    assertThat(breakers.acquire("pay", "eds2")).isNotSameAs(breakers.acquire("pay", "eds1"));
  }

  @Test
  void theLastUserEndsTheCounter() {
    CircuitBreaker first = breakers.acquire("pay", "eds");
    breakers.acquire("pay", "eds");

    breakers.release("pay", "eds");
    assertThat(breakers.acquire("pay", "eds")).isSameAs(first);
    breakers.release("pay", "eds");
    breakers.release("pay", "eds");

    assertThat(breakers.acquire("pay", "eds")).isNotSameAs(first);
  }

  @Conformance("A32-02")
  @Test
  void callsInFlightAreFoundAgainByTheNextUser() {
    CircuitBreaker first = breakers.acquire("pay", "eds");
    first.tryAcquire(10);

    breakers.release("pay", "eds");

    assertThat(breakers.acquire("pay", "eds")).isSameAs(first);
    assertThat(first.inFlight()).isEqualTo(1);
  }

  @Test
  void anUnusedCounterIsForgottenOnceItsCallsHaveEnded() {
    CircuitBreaker first = breakers.acquire("pay", "eds");
    first.tryAcquire(10);
    breakers.release("pay", "eds");
    breakers.acquire("other", "");
    assertThat(breakers.acquire("pay", "eds")).isSameAs(first);
    breakers.release("pay", "eds");

    first.release();
    breakers.acquire("third", "");

    assertThat(breakers.acquire("pay", "eds")).isNotSameAs(first);
  }

  @Test
  void releasingTooOftenIsABug() {
    breakers.acquire("pay", "eds");
    breakers.release("pay", "eds");

    assertThatThrownBy(() -> breakers.release("pay", "eds"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("pay");
  }
}

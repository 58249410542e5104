package io.outrigger.lb.priority;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.FakePolicies;
import io.outrigger.lb.testing.FakePolicies.FakePolicy;
import io.outrigger.lb.testing.FakePolicies.NamedPicker;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever children report, and whenever, a choice is in force and it is a right one. */
class PriorityPolicyProperties {
  private static final int CHILDREN = 4;

  /** A report of a child, or an update to fewer or more children, after some time. */
  record Event(int child, Connectivity state, boolean updates, int seconds) {}

  @Provide
  Arbitrary<List<Event>> events() {
    return Combinators.combine(
            Arbitraries.integers().between(0, CHILDREN - 1),
            Arbitraries.of(Connectivity.class),
            Arbitraries.integers().between(0, 9).map(draw -> draw == 0),
            Arbitraries.of(0, 0, 1, 5, 10, 1000))
        .as(Event::new)
        .list()
        .ofMaxSize(40);
  }

  @Property(tries = 500, seed = "56")
  void theChoiceIsTheFirstThatWorks(@ForAll("events") List<Event> events) {
    var parent = new FakeParent();
    var children = new FakePolicies();
    var policy =
        new PriorityPolicy(
            parent.context(1), children, new LbConfig.Priority("pay", List.of()), parent);
    int configured = update(parent, policy, CHILDREN);

    for (Event event : events) {
      parent.advance(Duration.ofSeconds(event.seconds()));
      if (event.updates()) {
        configured = update(parent, policy, event.child() + 1);
      } else if (children.created().contains("p" + event.child())) {
        FakePolicy child = children.get("p" + event.child());
        parent.loop().inside(() -> child.publish(event.state()));
      }

      check(parent, children, configured);
    }
  }

  private static void check(FakeParent parent, FakePolicies children, int configured) {
    var used = (NamedPicker) parent.picker();
    assertThat(children.get(used.policy()).isClosed()).isFalse();
    assertThat(parent.state()).isEqualTo(used.state());
    int place = Integer.parseInt(used.policy().substring(1));
    assertThat(place).isLessThan(configured);
    for (int better = 0; better < place; better++) {
      FakePolicy child = children.get("p" + better);
      assertThat(child.isClosed()).isFalse();
      assertThat(child.state()).isNotIn(Connectivity.READY, Connectivity.IDLE);
    }
    if (used.state() == Connectivity.TRANSIENT_FAILURE) {
      assertThat(place).isEqualTo(configured - 1);
    }
  }

  private static int update(FakeParent parent, PriorityPolicy policy, int count) {
    List<LbConfig.Child> priorities =
        IntStream.range(0, count)
            .mapToObj(i -> "p" + i)
            .map(name -> new LbConfig.Child(name, name, FakePolicies.config(name), true))
            .toList();
    parent.loop().inside(() -> policy.update(new LbConfig.Priority("pay", priorities)));
    return count;
  }
}

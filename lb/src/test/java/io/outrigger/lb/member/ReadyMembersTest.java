package io.outrigger.lb.member;

import static io.outrigger.lb.state.Connectivity.READY;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.ControlLoop;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.FixedPicker;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.FakeConnector.FakeAttempt;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a change costs in a large policy, and that what is kept of members agrees with them. */
class ReadyMembersTest {
  private static final FailureNote NOTE = new FailureNote("pay", Samples.NOTE);

  private final FakeParent parent = new FakeParent();
  private final Policy policy = new Policy(parent);

  @Test
  void oneEndpointMoreIsSharedInWithoutALookAtTheOthers() {
    List<Backend> backends = backends(0, 10_000);
    apply(backends);
    parent.loop().inside(parent.connector()::readyAll);
    assertThat(policy.shared).hasSize(10_000);

    List<Backend> more = new ArrayList<>(backends);
    more.add(5_000, backend(10_000));
    policy.looks = 0;
    apply(more);
    FakeAttempt attempt = parent.connector().newest();
    parent.loop().inside(attempt::ready);

    assertThat(policy.shared).hasSize(10_001);
    assertThat(policy.looks).as("looks at members, from the update to READY").isLessThan(30);

    policy.looks = 0;
    parent.loop().inside(() -> attempt.end("gone"));
    apply(backends);

    assertThat(policy.shared).hasSize(10_000);
    assertThat(policy.looks).as("looks at members, until it is gone").isLessThan(30);
  }

  @Test
  void whatIsCountedIsWhatMembersSay() {
    for (long seed = 0; seed < 30; seed++) {
      var random = new Random(seed);
      List<FakeAttempt> known = new ArrayList<>();
      for (int step = 0; step < 60; step++) {
        if (random.nextInt(4) == 0) {
          List<Backend> next = new ArrayList<>(backends(random.nextInt(5), random.nextInt(40)));
          Collections.shuffle(next, random);
          apply(next);
        }
        if (parent.connector().count() > 0) {
          known.add(parent.connector().newest());
          FakeAttempt some = known.get(random.nextInt(known.size()));
          parent.loop().inside(() -> step(random, some));
        }
        assertAgreement(seed);
      }
    }
  }

  /** Most often nothing is left of an attempt that something may happen to. */
  private void step(Random random, FakeAttempt some) {
    if (random.nextInt(3) == 0) {
      parent.connector().readyAll();
    } else if (!some.isOver()) {
      some.end("refused");
    }
  }

  private void assertAgreement(long seed) {
    List<Watched> members = policy.all();
    for (Connectivity state : Connectivity.values()) {
      assertThat(policy.counted(state))
          .as("%s, seed %d", state, seed)
          .isEqualTo(members.stream().filter(member -> member.state() == state).count());
    }
    PickResult[] uses =
        members.stream()
            .filter(member -> member.state() == READY)
            .map(LeafEndpoint::use)
            .toArray(PickResult[]::new);
    assertThat(policy.inOrder()).as("seed %d", seed).containsExactlyInAnyOrder(uses);
    assertThat(policy.ofReady()).as("seed %d", seed).containsExactly(policy.inOrder());
  }

  private void apply(List<Backend> backends) {
    parent
        .loop()
        .inside(
            () ->
                policy.update(
                    new LbConfig.Leaf<>(
                        new BalancingPolicy.RoundRobin(),
                        backends,
                        LocalityWeights.EQUAL,
                        NOTE,
                        "")));
  }

  private static List<Backend> backends(int from, int count) {
    return IntStream.range(from, from + count).mapToObj(ReadyMembersTest::backend).toList();
  }

  private static Backend backend(int number) {
    return Samples.backend("10.0.%d.%d:80".formatted(number >> 8, number & 255));
  }

  /** Counts how often anybody asks how it stands. */
  private static final class Watched extends LeafEndpoint {
    private final Policy policy;

    Watched(ControlLoop control, LbParent parent, Backend backend, Policy policy) {
      super(control, parent, backend);
      this.policy = policy;
    }

    @Override
    public Connectivity state() {
      policy.looks++;
      return super.state();
    }

    @Override
    public PickResult.Use use() {
      policy.looks++;
      return super.use();
    }
  }

  /** Shares calls as nobody would; what it is about is what it is told. */
  private static final class Policy
      extends EveryEndpointPolicy<BalancingPolicy.RoundRobin, Watched> {
    private final List<Watched> all = new ArrayList<>();
    private PickResult[] shared = new PickResult[0];
    private int looks;

    Policy(FakeParent parent) {
      super(
          parent.context(1),
          new LbConfig.Leaf<>(
              new BalancingPolicy.RoundRobin(), List.of(), LocalityWeights.EQUAL, NOTE, ""),
          parent);
    }

    @Override
    protected Watched newMember(Backend backend) {
      return new Watched(context().control(), parent(), backend, this);
    }

    @Override
    protected void onUpdate(Change<Watched> change) {
      super.onUpdate(change);
      all.addAll(change.added());
      all.removeAll(change.removed());
    }

    @Override
    protected Picker picker() {
      shared = answers();
      return new FixedPicker(shared[0]);
    }

    List<Watched> all() {
      return all;
    }

    int counted(Connectivity state) {
      return count(state);
    }

    PickResult[] inOrder() {
      return answers();
    }

    PickResult[] ofReady() {
      return ready().stream().map(LeafEndpoint::use).toArray(PickResult[]::new);
    }
  }
}

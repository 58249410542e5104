package io.outrigger.lb.locality;

import static io.outrigger.lb.state.Connectivity.CONNECTING;
import static io.outrigger.lb.state.Connectivity.IDLE;
import static io.outrigger.lb.state.Connectivity.READY;
import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.FakePolicies;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.lb.view.LbNode;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.ScriptedRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WeightedTargetPolicyTest {
  private static final LbConfig.Target A =
      new LbConfig.Target(Samples.locality("a"), 3, FakePolicies.config("a"));
  private static final LbConfig.Target B =
      new LbConfig.Target(Samples.locality("b"), 1, FakePolicies.config("b"));

  private final FakeParent parent = new FakeParent();
  private final FakePolicies children = new FakePolicies();
  private final WeightedTargetPolicy policy =
      new WeightedTargetPolicy(
          children, parent.random(), new LbConfig.WeightedTarget(List.of(A)), parent);

  @Conformance("A28-11")
  @ParameterizedTest(name = "{0} and {1} -> {2}")
  @CsvSource({
    "READY, TRANSIENT_FAILURE, READY",
    "READY, CONNECTING, READY",
    "READY, IDLE, READY",
    "CONNECTING, TRANSIENT_FAILURE, CONNECTING",
    "CONNECTING, IDLE, CONNECTING",
    "IDLE, TRANSIENT_FAILURE, IDLE",
    "TRANSIENT_FAILURE, TRANSIENT_FAILURE, TRANSIENT_FAILURE",
  })
  void theStateIsThatOfTheBestChildren(Connectivity a, Connectivity b, Connectivity expected) {
    update(A, B);

    publish("a", a);
    publish("b", b);

    assertThat(parent.state()).isEqualTo(expected);
    if (expected == CONNECTING) {
      assertThat(parent.pick()).isInstanceOf(PickResult.Queue.class);
    }
  }

  @Conformance({"A28-11", "A27-09"})
  @Test
  void onlyReadyChildrenShare() {
    update(A, B);

    Picker a = publish("a", READY);
    assertThat(parent.picker()).isSameAs(a);
    publish("b", READY);
    assertThat(parent.picker()).isInstanceOf(WeightedTargetPolicy.WeightedPicker.class);
    publish("a", TRANSIENT_FAILURE);

    assertThat(parent.picker()).isEqualTo(new FakePolicies.NamedPicker("b", READY, 1));
  }

  @Conformance("A28-11")
  @Test
  void idleChildrenShareWithReadyOnesAndAreWokenByThat() {
    update(A, B);
    publish("a", READY);

    publish("b", IDLE);

    assertThat(parent.picker()).isInstanceOf(WeightedTargetPolicy.WeightedPicker.class);
    assertThat(parent.state()).isEqualTo(READY);
    Picker a = publish("a", READY);
    publish("b", CONNECTING);
    assertThat(parent.picker()).isSameAs(a);
  }

  @Conformance("A28-11")
  @Test
  void aRemovedChildLosesItsShareAtOnce() {
    update(A, B);
    publish("a", READY);
    Picker b = publish("b", READY);

    update(B);

    assertThat(parent.picker()).isSameAs(b);
    assertThat(children.get("a").isClosed()).isTrue();
    assertThat(children.get("b").updates()).isEqualTo(1);
  }

  @Conformance("A28-11")
  @Test
  void anIdleChildIsAskedByThePick() {
    update(A);

    Picker a = publish("a", IDLE);

    assertThat(parent.picker()).isSameAs(a);
  }

  @Test
  void anUpdateIsPublishedOnce() {
    update(A, B);

    assertThat(parent.states()).containsExactly(CONNECTING);
  }

  @Conformance("A27-09")
  @Test
  void threeToOneIsThreeQuarters() {
    int[] hits = new int[2];
    Picker picker =
        WeightedTargetPolicy.WeightedPicker.of(
            new ScriptedRandom(5), new long[] {3, 1}, counting(hits));

    for (int i = 0; i < 4000; i++) {
      picker.pick(TestCall.CALL);
    }

    assertThat(hits[0] / 4000.0).isBetween(0.72, 0.78);
  }

  @Property(tries = 100, seed = "28")
  void everyShareIsInProportion(
      @ForAll @Size(min = 1, max = 6) List<@LongRange(min = 1, max = 0xFFFFFFFFL) Long> weights) {
    int[] hits = new int[weights.size()];
    Picker picker =
        WeightedTargetPolicy.WeightedPicker.of(
            new ScriptedRandom(11),
            weights.stream().mapToLong(Long::longValue).toArray(),
            counting(hits));
    int draws = 3000;

    for (int i = 0; i < draws; i++) {
      picker.pick(TestCall.CALL);
    }

    double sum = weights.stream().mapToLong(Long::longValue).sum();
    for (int i = 0; i < hits.length; i++) {
      double expected = draws * weights.get(i) / sum;
      double sigma = Math.sqrt(expected * (1 - weights.get(i) / sum));
      assertThat((double) hits[i]).isBetween(expected - 6 * sigma - 1, expected + 6 * sigma + 1);
    }
  }

  @Test
  void afterClosingNothingIsPublished() {
    update(A);

    parent.loop().inside(policy::close);
    publish("a", READY);

    assertThat(parent.states()).containsExactly(CONNECTING);
    assertThat(children.get("a").isClosed()).isTrue();
  }

  @Test
  void failuresOfAllChildrenAreReported() {
    update(A, B);
    publish("a", TRANSIENT_FAILURE);
    publish("b", TRANSIENT_FAILURE);

    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
    assertThat(parent.picker()).isInstanceOf(WeightedTargetPolicy.WeightedPicker.class);
  }

  @Test
  void aChildsRequestForReresolutionGoesUp() {
    update(A);

    children.get("a").requestReresolution();

    assertThat(parent.reresolutions()).isEqualTo(1);
  }

  @Test
  void statusShowsWhichChildrenShareTheCalls() {
    update(A, B);
    publish("a", READY);
    publish("b", TRANSIENT_FAILURE);

    assertThat(Samples.describe(policy, "pay").children())
        .extracting(LbNode::name, LbNode::isUsed)
        .containsExactly(
            tuple(A.locality().toString(), true), tuple(B.locality().toString(), false));
  }

  @Test
  void statusTellsLocalitiesOfTheSameTextApart() {
    var first = new Locality("r", "a/b", "");
    var second = new Locality("r", "a", "b/");
    assertThat(first).hasToString(second.toString());
    update(
        new LbConfig.Target(first, 3, FakePolicies.config("a")),
        new LbConfig.Target(second, 1, FakePolicies.config("b")));

    assertThat(Samples.describe(policy, "pay").config())
        .containsEntry("weights", Map.of(first.toString(), 3L, second.label(), 1L));
  }

  private static Picker[] counting(int[] hits) {
    List<Picker> pickers = new ArrayList<>();
    for (int i = 0; i < hits.length; i++) {
      int index = i;
      pickers.add(
          new Picker() {
            @Override
            public PickResult pick(PickContext call) {
              hits[index]++;
              return Samples.QUEUE;
            }
          });
    }
    return pickers.toArray(Picker[]::new);
  }

  private Picker publish(String child, Connectivity state) {
    List<Picker> published = new ArrayList<>();
    parent.loop().inside(() -> published.add(children.get(child).publish(state)));
    return published.get(0);
  }

  private void update(LbConfig.Target... targets) {
    parent.loop().inside(() -> policy.update(new LbConfig.WeightedTarget(List.of(targets))));
  }
}

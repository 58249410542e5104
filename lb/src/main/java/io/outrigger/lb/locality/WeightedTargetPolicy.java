package io.outrigger.lb.locality;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.ChildSlot;
import io.outrigger.lb.ComposedParent;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;
import io.outrigger.lb.PolicyFactory;
import io.outrigger.lb.PublishGate;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Shares calls among its children by weight (A28 "weighted_target LB policy").
 *
 * <pre>
 * READY              any child is READY: calls go to READY and IDLE children, by weight
 * CONNECTING         else, any child is CONNECTING: calls wait
 * IDLE               else, any child is IDLE: calls go to IDLE children, by weight
 * TRANSIENT_FAILURE  else: calls fail with the reason of a child, by weight
 * </pre>
 *
 * <p>A call that is sent to an IDLE child makes the child connect. This child then reports
 * CONNECTING, and the same call is sent to another child. If calls went to READY children only, an
 * IDLE child beside a READY child would never get its share of calls.
 *
 * <p>A child that is no longer configured is removed immediately, together with its share. Children
 * are identified by their {@code Locality}, not by the locality's text, because two localities may
 * have the same text.
 */
@ControlConfined
public final class WeightedTargetPolicy implements LbPolicy {
  private static final Picker.Fixed WAITS =
      new Picker.Fixed(
          PickResult.Queue.connecting(
              "weighted_target: waiting for an endpoint of any locality to connect"));

  private final PolicyFactory factory;
  private final RandomSource random;
  private final LbParent parent;
  private final PublishGate gate = new PublishGate(this::publish);

  private LbConfig.WeightedTarget config;
  private Map<Locality, Child> children = new LinkedHashMap<>();
  private Connectivity state = Connectivity.CONNECTING;

  public WeightedTargetPolicy(
      PolicyFactory factory, RandomSource random, LbConfig.WeightedTarget config, LbParent parent) {
    this.factory = factory;
    this.random = random;
    this.config = config;
    this.parent = parent;
  }

  @Override
  public void update(LbConfig next) {
    config = (LbConfig.WeightedTarget) next;
    gate.publishAfter(this::updateChildren);
  }

  private void updateChildren() {
    Map<Locality, Child> before = children;
    children = new LinkedHashMap<>();
    for (LbConfig.Target target : config.targets()) {
      Child child = before.remove(target.locality());
      if (child == null) {
        child = new Child();
      }
      child.weight = target.weight();
      children.put(target.locality(), child);
      child.slot.update(target.child());
    }
    before.values().forEach(child -> child.slot.close());
  }

  @Override
  public void close() {
    gate.close();
    children.values().forEach(child -> child.slot.close());
    children = new LinkedHashMap<>();
  }

  @Override
  public void accept(NodeVisitor visitor, String name, boolean isUsed) {
    Map<String, Object> weights = new LinkedHashMap<>();
    children.forEach(
        (locality, child) -> {
          if (weights.putIfAbsent(locality.toString(), child.weight) != null) {
            weights.put(locality.label(), child.weight); // the label is unique, the text is not
          }
        });
    Map<String, Object> settings = Map.of("weights", weights);
    visitor.enter(new LbNode(name, config.policy(), state, settings, "", isUsed));
    children.forEach(
        (locality, child) -> child.slot.accept(visitor, locality.toString(), getsCalls(child)));
    visitor.leave();
  }

  private void publish() {
    state = aggregated();
    parent.publish(state, state == Connectivity.CONNECTING ? WAITS : picker());
  }

  private Connectivity aggregated() {
    return children.values().stream()
        .map(child -> child.slot.state())
        .reduce(Connectivity.TRANSIENT_FAILURE, Connectivity::or);
  }

  private boolean getsCalls(Child child) {
    Connectivity its = child.slot.state();
    return its == state || (state == Connectivity.READY && its == Connectivity.IDLE);
  }

  private Picker picker() {
    List<Child> usable = children.values().stream().filter(this::getsCalls).toList();
    if (usable.size() == 1) {
      return usable.get(0).slot.picker();
    }
    return WeightedPicker.of(
        random,
        usable.stream().mapToLong(child -> child.weight).toArray(),
        usable.stream().map(child -> child.slot.picker()).toArray(Picker[]::new));
  }

  private final class Child {
    private final ChildSlot slot =
        new ChildSlot(
            factory,
            new ComposedParent(
                parent::newSubchannel,
                (itsState, picker) -> gate.request(),
                parent::requestReresolution));
    private long weight;
  }

  @AnyThread
  @SuppressWarnings("ArrayRecordComponent") // instances are never compared
  record WeightedPicker(RandomSource random, long[] upTo, Picker[] pickers) implements Picker {
    /**
     * @param weights unsigned 32-bit numbers, at least 1, in the order of {@code pickers}
     */
    static WeightedPicker of(RandomSource random, long[] weights, Picker[] pickers) {
      long[] upTo = weights.clone();
      for (int i = 1; i < upTo.length; i++) {
        upTo[i] += upTo[i - 1];
      }
      return new WeightedPicker(random, upTo, pickers);
    }

    @Override
    public PickResult pick(PickContext call) {
      long drawn = random.nextLong(upTo[upTo.length - 1], Purpose.LOCALITY_WEIGHT);
      int i = 0;
      while (drawn >= upTo[i]) {
        i++;
      }
      return pickers[i].pick(call);
    }

    @Override
    public PickPlan plan(PlannedCall call) {
      double all = upTo[upTo.length - 1];
      List<PickPlan.Share> shares = new ArrayList<>();
      for (int i = 0; i < pickers.length; i++) {
        long weight = upTo[i] - (i == 0 ? 0 : upTo[i - 1]);
        shares.add(new PickPlan.Share(weight / all, pickers[i].plan(call)));
      }
      return new PickPlan.Shared(shares);
    }
  }
}

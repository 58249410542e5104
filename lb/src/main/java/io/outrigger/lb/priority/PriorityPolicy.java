package io.outrigger.lb.priority;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.lb.LbContext;
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
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Sends all calls to the first child that works (A56). A child is created only when every earlier
 * child has failed or did not connect in time. When a child works, later children are removed after
 * 15 minutes. A child that is no longer configured is destroyed immediately (A115).
 *
 * <p>{@link #choose} implements A56's algorithm. The choice depends only on the states and failover
 * timers of the children. The algorithm runs after every change of a child. An update of several
 * children runs the algorithm only once, at the end.
 */
@ControlConfined
public final class PriorityPolicy implements LbPolicy {
  private final LbContext context;
  private final PolicyFactory factory;
  private final LbParent parent;
  private final PublishGate gate = new PublishGate(this::choose);
  private final Map<String, PriorityChild> children = new HashMap<>();

  private LbConfig.Priority config;
  private String chosen = "";
  private String chosenLabel = "";
  private Connectivity state = Connectivity.CONNECTING;
  private @Nullable Picker published;
  private int publishedIndex;

  public PriorityPolicy(
      LbContext context, PolicyFactory factory, LbConfig.Priority config, LbParent parent) {
    this.context = context;
    this.factory = factory;
    this.config = config;
    this.parent = parent;
  }

  @Override
  public void update(LbConfig next) {
    config = (LbConfig.Priority) next;
    gate.publishAfter(this::updateChildren);
  }

  private void updateChildren() {
    Map<String, LbConfig.Child> wanted = new HashMap<>();
    config.children().forEach(child -> wanted.put(child.name(), child));
    for (Map.Entry<String, PriorityChild> entry : List.copyOf(children.entrySet())) {
      LbConfig.Child childConfig = wanted.get(entry.getKey());
      if (childConfig == null) {
        children.remove(entry.getKey());
        entry.getValue().close();
      } else {
        entry.getValue().update(childConfig);
      }
    }
  }

  @Override
  public void close() {
    gate.close();
    children.values().forEach(PriorityChild::close);
    children.clear();
  }

  @Override
  public void accept(NodeVisitor visitor, String name, boolean isUsed) {
    visitor.enter(new LbNode(name, config.policy(), state, Map.of(), detail(), isUsed));
    for (LbConfig.Child child : config.children()) {
      PriorityChild existing = children.get(child.name());
      if (existing == null) {
        visitor.notStarted(child.label(), child.config());
      } else {
        existing.accept(visitor, child.label(), child.name().equals(chosen));
      }
    }
    visitor.leave();
  }

  private String detail() {
    var before = new StringJoiner(", ", ": ", "").setEmptyValue("");
    for (LbConfig.Child child : config.children()) {
      if (child.name().equals(chosen)) {
        return child.label() + " is in use" + before;
      }
      before.add(child.label() + " " + describe(children.get(child.name())));
    }
    return "";
  }

  /** Describes why calls do not go to a child. */
  private static String describe(@Nullable PriorityChild child) {
    if (child == null) {
      return "is no longer configured";
    }
    return child.state() == Connectivity.CONNECTING && !child.isFailoverPending()
        ? "has not connected within " + PriorityChild.FAILOVER.toSeconds() + " s"
        : "is in " + child.state();
  }

  /** Implements A56 "Algorithm for Choosing a Priority". */
  private void choose() {
    List<LbConfig.Child> priorities = config.children();
    if (priorities.isEmpty()) {
      RpcStatus status =
          RpcStatus.unavailable("cluster \"" + config.cluster() + "\": empty priority list");
      chosen = "";
      state = Connectivity.TRANSIENT_FAILURE;
      published = null;
      parent.publish(state, new Picker.Fixed(new PickResult.Fail(status)));
      return;
    }
    for (int i = 0; i < priorities.size(); i++) {
      PriorityChild child = createOrReactivate(priorities.get(i));
      if (works(child)) {
        deactivateAfter(i);
        use(i, child);
        return;
      }
      if (child.isFailoverPending()) {
        use(i, child);
        return;
      }
    }
    int last = priorities.size() - 1;
    for (int i = 0; i <= last; i++) {
      PriorityChild child = childAt(i).orElseThrow();
      if (child.state() == Connectivity.CONNECTING) {
        use(i, child);
        return;
      }
    }
    use(last, childAt(last).orElseThrow());
  }

  private static boolean works(PriorityChild child) {
    return child.state() == Connectivity.READY || child.state() == Connectivity.IDLE;
  }

  private PriorityChild createOrReactivate(LbConfig.Child childConfig) {
    PriorityChild child = children.get(childConfig.name());
    if (child == null) {
      child = new PriorityChild(context.control(), factory, parent, gate::request, this::onRetired);
      children.put(childConfig.name(), child);
      child.update(childConfig);
    } else {
      child.reactivate();
    }
    return child;
  }

  private void deactivateAfter(int index) {
    for (int i = index + 1; i < config.children().size(); i++) {
      childAt(i).ifPresent(PriorityChild::deactivate);
    }
  }

  private Optional<PriorityChild> childAt(int index) {
    return Optional.ofNullable(children.get(config.children().get(index).name()));
  }

  private void use(int index, PriorityChild child) {
    LbConfig.Child next = config.children().get(index);
    if (!chosen.equals(next.name())) {
      if (!chosen.isEmpty()) {
        context
            .observer()
            .onEvent(
                new LbEvent.PrioritySwitch(
                    config.cluster(),
                    context.control().now(),
                    chosenLabel,
                    next.label(),
                    child.state(),
                    switchReason(index)));
      }
      chosen = next.name();
    }
    chosenLabel = next.label();
    publish(index, child);
  }

  /** Describes why another child replaces the child in use. */
  private String switchReason(int index) {
    List<LbConfig.Child> priorities = config.children();
    for (int i = 0; i < priorities.size(); i++) {
      if (priorities.get(i).name().equals(chosen)) {
        return i < index
            ? priorities.get(i).label() + " " + describe(childAt(i).orElse(null))
            : priorities.get(index).label() + " comes before it";
      }
    }
    return chosenLabel + " is no longer configured";
  }

  private void publish(int index, PriorityChild child) {
    Picker picker = child.picker();
    if (child.state() != state || picker != published || index != publishedIndex) {
      state = child.state();
      published = picker;
      publishedIndex = index;
      parent.publish(
          state,
          context.namesPriorities()
              ? new PriorityPicker(index, failoverReason(index), picker)
              : picker);
    }
  }

  /** Describes why calls go to a given priority instead of an earlier priority. */
  private String failoverReason(int index) {
    if (index == 0) {
      return "";
    }
    LbConfig.Child before = config.children().get(index - 1);
    return "priority: failing over to priority "
        + index
        + "; "
        + before.label()
        + " "
        + describe(children.get(before.name()));
  }

  private void onRetired(PriorityChild child) {
    children.values().remove(child);
    child.close();
  }

  /**
   * Wraps a child's picker and adds the priority to the explanation of waiting calls (A121
   * "priority"). The wrapping picker slows each pick, so it is used only if delays are reported.
   *
   * @param failover the reason why no earlier priority is used; empty for the first priority
   */
  private record PriorityPicker(int priority, String failover, Picker child) implements Picker {
    @Override
    public PickResult pick(PickContext call) {
      PickResult result = child.pick(call);
      if (!(result instanceof PickResult.Queue queue)) {
        return result;
      }
      String reason = failover.isEmpty() ? queue.reason() : failover + "; " + queue.reason();
      return new PickResult.Queue(priority + ":" + queue.delayType(), reason);
    }

    @Override
    public PickPlan plan(PlannedCall call) {
      return child.plan(call);
    }
  }
}

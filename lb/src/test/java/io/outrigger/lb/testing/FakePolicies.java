package io.outrigger.lb.testing;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PolicyFactory;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Children that publish what the test says; CONNECTING first, or as {@link #onUpdate} wants. */
public final class FakePolicies implements PolicyFactory {
  private final Map<String, FakePolicy> policies = new HashMap<>();
  private final Map<String, Connectivity> onUpdate = new HashMap<>();
  private final List<String> created = new ArrayList<>();

  /** A picker that can be told from all others. */
  public record NamedPicker(String policy, Connectivity state, int number) implements Picker {
    @Override
    public PickResult pick(PickContext call) {
      return Samples.QUEUE;
    }
  }

  /** The configuration of the child called {@code name}; another version is another value. */
  public static LbConfig config(String name, int version) {
    return new LbConfig.Leaf(
        new BalancingPolicy.PickFirst(false),
        List.of(),
        LocalityWeights.EQUAL,
        new FailureNote(name, Integer.toString(version)),
        "");
  }

  public static LbConfig config(String name) {
    return config(name, 0);
  }

  /** From now on the child called {@code name} publishes {@code state} within each update. */
  public void onUpdate(String name, Connectivity state) {
    onUpdate.put(name, state);
  }

  /** Names of the children ever made, in order. */
  public List<String> created() {
    return List.copyOf(created);
  }

  /** The newest child called {@code name}. */
  public FakePolicy get(String name) {
    return Objects.requireNonNull(policies.get(name), () -> name + " was never made");
  }

  @Override
  public LbPolicy create(LbConfig config, LbParent parent) {
    String name = ((LbConfig.Leaf) config).note().cluster();
    created.add(name);
    var policy = new FakePolicy(name, parent);
    policies.put(name, policy);
    return policy;
  }

  /** One child. */
  public final class FakePolicy implements LbPolicy {
    private final String name;
    private final LbParent parent;
    private Connectivity state = Connectivity.CONNECTING;
    private int published;
    private int updates;
    private boolean closed;

    FakePolicy(String name, LbParent parent) {
      this.name = name;
      this.parent = parent;
    }

    /** Publishes; on the control loop. */
    public NamedPicker publish(Connectivity state) {
      this.state = state;
      var picker = new NamedPicker(name, state, published++);
      parent.publish(state, picker);
      return picker;
    }

    /** Publishes a picker with one answer. */
    public void publish(Connectivity state, PickResult answer) {
      this.state = state;
      parent.publish(state, new Picker.Fixed(answer));
    }

    public void requestReresolution() {
      parent.requestReresolution();
    }

    /** What it published last. */
    public Connectivity state() {
      return state;
    }

    public int updates() {
      return updates;
    }

    public boolean isClosed() {
      return closed;
    }

    @Override
    public void update(LbConfig config) {
      updates++;
      publish(onUpdate.getOrDefault(name, Connectivity.CONNECTING));
    }

    @Override
    public void close() {
      closed = true;
    }

    @Override
    public void accept(NodeVisitor visitor, String nodeName, boolean isUsed) {
      LbConfig shown = config(name);
      visitor.enter(new LbNode(nodeName, shown.policy(), Connectivity.IDLE, Map.of(), "", isUsed));
      shown.backends().forEach(each -> visitor.endpoint(LbEndpoint.unconnected(each)));
      visitor.leave();
    }
  }
}

package io.outrigger.lb.override;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.Transport;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.view.NodeVisitor;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The policy between a policy that takes and gives up subchannels as the test says, and subchannels
 * that are in the states that the test says. Every step leaves the control loop with nothing to do.
 */
final class OverrideHostScript {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final List<FakeSubchannel> made = new ArrayList<>();
  private final OverrideHostPolicy policy;
  private @Nullable FakeBalancer balancer;
  private @Nullable Picker picker;
  private @Nullable Connectivity state;

  OverrideHostScript() {
    LbConfig.OverrideHost nothing = config(Map.of(), Set.of(), Duration.ZERO);
    policy = new OverrideHostPolicy(loop, FakeBalancer::new, nothing, new Top());
  }

  private LbConfig.OverrideHost config(
      Map<String, HealthStatus> endpoints, Set<HealthStatus> statuses, Duration idleTimeout) {
    List<Backend> usable = new ArrayList<>();
    List<Backend> sessionOnly = new ArrayList<>();
    List<Backend> unreachable = new ArrayList<>();
    new TreeMap<>(endpoints)
        .forEach(
            (address, health) -> {
              var backend =
                  new Backend(Samples.endpoint(health, address), Samples.locality("z"), 0);
              (health.isUsable() ? usable : statuses.contains(health) ? sessionOnly : unreachable)
                  .add(backend);
            });
    var child =
        new LbConfig.Leaf(
            new BalancingPolicy.RoundRobin(),
            usable,
            LocalityWeights.EQUAL,
            new FailureNote("pay", "note"),
            "");
    return new LbConfig.OverrideHost(statuses, idleTimeout, sessionOnly, unreachable, child);
  }

  /**
   * Configures the policy. The balancer gives up what it is not to use any more.
   *
   * @param statuses the health of endpoints that sessions may reach
   */
  void update(
      Map<String, HealthStatus> endpoints, Set<HealthStatus> statuses, Duration idleTimeout) {
    loop.inside(() -> policy.update(config(endpoints, statuses, idleTimeout)));
    loop.run();
  }

  /** The balancer takes a subchannel to the address, or gives it up. */
  void toggle(String address) {
    loop.inside(() -> Objects.requireNonNull(balancer).toggle(address));
    loop.run();
  }

  /** The subchannel to the address tells its owner of a state. */
  void become(String address, Connectivity next) {
    FakeSubchannel open =
        made.stream()
            .filter(each -> each.closes == 0 && each.address.toString().equals(address))
            .findFirst()
            .orElseThrow();
    loop.inside(() -> open.become(next));
    loop.run();
  }

  void advance(Duration time) {
    loop.advance(time);
  }

  void close() {
    loop.inside(policy::close);
    loop.run();
  }

  /** What a call gets; a call that is sent ends well at once. */
  PickResult pick(PickContext call) {
    PickResult result = Objects.requireNonNull(picker).pick(call);
    if (result instanceof PickResult.Use use) {
      use.subchannel().callEnded(call, CallOutcome.SUCCESS);
    }
    loop.run();
    return result;
  }

  /** What was published last. */
  @Nullable Connectivity state() {
    return state;
  }

  /** The state of every subchannel that is open. */
  Map<String, Connectivity> states() {
    Map<String, Connectivity> states = new HashMap<>();
    open().forEach(each -> states.put(each.address.toString(), each.state));
    return states;
  }

  List<FakeSubchannel> open() {
    return made.stream().filter(each -> each.closes == 0).toList();
  }

  List<FakeSubchannel> closedTwice() {
    return made.stream().filter(each -> each.closes > 1).toList();
  }

  /** Addresses to which two subchannels are open. */
  List<EndpointAddress> twiceOpen() {
    List<EndpointAddress> addresses = new ArrayList<>();
    open().forEach(each -> addresses.add(each.address));
    addresses.removeIf(address -> addresses.indexOf(address) == addresses.lastIndexOf(address));
    return addresses;
  }

  /** Where the policy's subchannels come from. */
  private final class Top implements LbParent {
    @Override
    public Subchannel newSubchannel(
        Backend backend, EndpointAddress address, Subchannel.Listener listener) {
      var subchannel = new FakeSubchannel(backend, address, listener);
      made.add(subchannel);
      return subchannel;
    }

    @Override
    public void publish(Connectivity next, Picker nextPicker) {
      state = next;
      picker = nextPicker;
    }

    @Override
    public void requestReresolution() {}
  }

  /** A subchannel that does nothing by itself, except that it connects when asked in IDLE. */
  static final class FakeSubchannel implements Subchannel {
    private final Backend backend;
    private final EndpointAddress address;
    private final Subchannel.Listener listener;
    private Connectivity state = Connectivity.IDLE;
    private int closes;

    FakeSubchannel(Backend backend, EndpointAddress address, Subchannel.Listener listener) {
      this.backend = backend;
      this.address = address;
      this.listener = listener;
    }

    void become(Connectivity next) {
      state = next;
      listener.onState(next, RpcStatus.OK);
    }

    @Override
    public Backend backend() {
      return backend;
    }

    @Override
    public EndpointAddress address() {
      return address;
    }

    @Override
    public void requestConnection() {
      if (state == Connectivity.IDLE) {
        become(Connectivity.CONNECTING);
      }
    }

    @Override
    public void close() {
      closes++;
    }

    @Override
    public @Nullable Transport transport() {
      return null;
    }

    @Override
    public void callEnded(PickContext call, CallOutcome outcome) {}

    @Override
    public String toString() {
      return address + " " + state;
    }
  }

  /** Picks the first of its subchannels that is READY, in the order of their addresses. */
  private final class FakeBalancer implements LbPolicy {
    private final LbParent parent;
    private final TreeMap<String, Subchannel> taken = new TreeMap<>();
    private final Map<String, Connectivity> told = new HashMap<>();
    private List<Backend> backends = List.of();

    FakeBalancer(LbConfig config, LbParent parent) {
      this.parent = parent;
      balancer = this;
    }

    @Override
    public void update(LbConfig config) {
      backends = config.backends();
      for (String address : List.copyOf(taken.keySet())) {
        if (backends.stream().noneMatch(each -> has(each, address))) {
          giveUp(address);
        }
      }
      publish();
    }

    void toggle(String address) {
      if (taken.containsKey(address)) {
        giveUp(address);
      } else {
        Backend backend =
            backends.stream().filter(each -> has(each, address)).findFirst().orElseThrow();
        told.put(address, Connectivity.IDLE);
        taken.put(
            address,
            parent.newSubchannel(
                backend,
                backend.endpoint().address(),
                (next, reason) -> {
                  told.put(address, next);
                  publish();
                }));
      }
      publish();
    }

    private void giveUp(String address) {
      Objects.requireNonNull(taken.remove(address)).close();
      told.remove(address);
    }

    private static boolean has(Backend backend, String address) {
      return backend.endpoint().address().toString().equals(address);
    }

    private void publish() {
      for (Map.Entry<String, Subchannel> each : taken.entrySet()) {
        if (told.get(each.getKey()) == Connectivity.READY) {
          parent.publish(Connectivity.READY, new Picker.Fixed(new PickResult.Use(each.getValue())));
          return;
        }
      }
      parent.publish(
          Connectivity.TRANSIENT_FAILURE,
          new Picker.Fixed(new PickResult.Fail(RpcStatus.unavailable("nobody is READY"))));
    }

    @Override
    public void close() {
      List.copyOf(taken.keySet()).forEach(this::giveUp);
    }

    @Override
    public void accept(NodeVisitor visitor, String name, boolean isUsed) {
      throw new UnsupportedOperationException();
    }
  }
}

package io.outrigger.lb.testing;

import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.subchannel.ConnectionPace;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.OutlierEvent;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.ScriptedRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A whole tree over scripted connections: "five endpoints, e1 connects, e2 fails, ten seconds
 * pass". Every step leaves the control loop with nothing to do at that moment.
 */
public final class LbScript implements ClusterManager.Listener {
  /** How many event loops pick. */
  public static final int LOOPS = 4;

  private final FakeControlLoop loop;
  private final FakeConnector connector = new FakeConnector();
  private final ScriptedRandom random = new ScriptedRandom(7);
  private final List<LbEvent> events = new ArrayList<>();
  private final LoadRegistry loads;
  private final ClusterManager manager;
  private final Map<String, ClusterHandle> handles = new HashMap<>();
  private int clusterChanges;
  private int reresolutions;

  public LbScript() {
    this(new FakeControlLoop(), new CircuitBreakers());
  }

  /** A tree that shares its loop and its breakers with another. */
  public LbScript(FakeControlLoop loop, CircuitBreakers breakers) {
    this(loop, breakers, new LoadRegistry(loop));
  }

  /** A tree that shares its loop and all that is counted for the process with another. */
  public LbScript(FakeControlLoop loop, CircuitBreakers breakers, LoadRegistry loads) {
    this(loop, breakers, loads, Integer.MAX_VALUE, false, false);
  }

  /** A tree of whose attempts to connect at most {@code underWay} are under way. */
  public LbScript(int underWay) {
    this(new FakeControlLoop(), underWay);
  }

  private LbScript(FakeControlLoop loop, int underWay) {
    this(loop, new CircuitBreakers(), new LoadRegistry(loop), underWay, false, false);
  }

  private LbScript(
      FakeControlLoop loop,
      CircuitBreakers breakers,
      LoadRegistry loads,
      int underWay,
      boolean aggregatesDecide,
      boolean namesPriorities) {
    this.loop = loop;
    this.loads = loads;
    this.manager =
        new ClusterManager(
            new LbContext(loop, random, events::add, LOOPS, namesPriorities),
            new ConnectionPace(loop, underWay).of(connector),
            breakers,
            loads,
            aggregatesDecide,
            this);
  }

  /** A tree in which the policies of aggregates count, as before A75. */
  public static LbScript withAggregatesDeciding() {
    return with(true, false);
  }

  /** A tree that gives waiting calls the names of their priorities. */
  public static LbScript withPrioritiesNamed() {
    return with(false, true);
  }

  private static LbScript with(boolean aggregatesDecide, boolean namesPriorities) {
    var loop = new FakeControlLoop();
    return new LbScript(
        loop,
        new CircuitBreakers(),
        new LoadRegistry(loop),
        Integer.MAX_VALUE,
        aggregatesDecide,
        namesPriorities);
  }

  /** Applies a configuration and retires what it does not route to. */
  public void apply(XdsConfig config) {
    loop.inside(
        () -> {
          handles.putAll(manager.apply(config));
          manager.retire(config.virtualHost().clusters());
        });
  }

  /** The newest attempts to these addresses succeed. */
  public void ready(String... addresses) {
    for (String address : addresses) {
      loop.inside(() -> connector.last(address).ready());
    }
  }

  /** The newest attempts to these addresses fail, or their connections are lost. */
  public void end(String... addresses) {
    for (String address : addresses) {
      loop.inside(() -> connector.last(address).end("refused"));
    }
  }

  public void advance(Duration time) {
    loop.advance(time);
  }

  public FakeControlLoop loop() {
    return loop;
  }

  public FakeConnector connector() {
    return connector;
  }

  public ClusterManager manager() {
    return manager;
  }

  public ScriptedRandom random() {
    return random;
  }

  /** What is counted for load reports. */
  public LoadRegistry loads() {
    return loads;
  }

  /** What outlier detection decided so far. */
  public List<OutlierEvent> outlierEvents() {
    return events.stream()
        .filter(OutlierEvent.class::isInstance)
        .map(OutlierEvent.class::cast)
        .toList();
  }

  /** All that was observed so far. */
  public List<LbEvent> events() {
    return List.copyOf(events);
  }

  /** The handle that the newest configuration with that cluster gave. */
  public ClusterHandle handle(String cluster) {
    return Objects.requireNonNull(handles.get(cluster), cluster);
  }

  public Connectivity state(String cluster) {
    return handle(cluster).state();
  }

  /** What a pick answers; the loop runs afterwards. */
  public PickResult pick(String cluster) {
    return pick(cluster, TestCall.CALL);
  }

  /** What a pick for {@code call} answers; the loop runs afterwards. */
  public PickResult pick(String cluster, PickContext call) {
    PickResult result = handle(cluster).picker().pick(call);
    loop.run();
    return result;
  }

  /** Starts a call, which goes on until its subchannel is told of its end. */
  public Subchannel start(String cluster) {
    if (pick(cluster) instanceof PickResult.Use use) {
      return use.subchannel();
    }
    throw new AssertionError("cluster " + cluster + " gives no subchannel in " + state(cluster));
  }

  /** The address to which a call goes; it ends well at once. */
  public String picked(String cluster) {
    Subchannel subchannel = start(cluster);
    subchannel.callEnded(TestCall.CALL, CallOutcome.SUCCESS);
    return subchannel.address().toString();
  }

  /** Makes {@code calls} calls, one after the other; those to addresses that fail end badly. */
  public void traffic(String cluster, int calls, Predicate<String> fails) {
    for (int i = 0; i < calls; i++) {
      Subchannel subchannel = start(cluster);
      boolean bad = fails.test(subchannel.address().toString());
      subchannel.callEnded(TestCall.CALL, bad ? CallOutcome.FAILURE : CallOutcome.SUCCESS);
    }
  }

  /** How often each address gets one of {@code calls} calls. */
  public Map<String, Integer> shares(String cluster, int calls) {
    Map<String, Integer> shares = new HashMap<>();
    for (int i = 0; i < calls; i++) {
      shares.merge(picked(cluster), 1, Integer::sum);
    }
    return shares;
  }

  /** The message with which a call fails that does not wait for readiness. */
  public String failure(String cluster) {
    PickResult result = pick(cluster);
    if (result instanceof PickResult.Fail fail) {
      return fail.status().message();
    }
    if (result instanceof PickResult.Drop drop) {
      return drop.status().message();
    }
    throw new AssertionError("cluster " + cluster + " does not fail in " + state(cluster));
  }

  /** Addresses that are being connected or are connected. */
  public List<String> open() {
    return connector.open();
  }

  /** The names of live clusters. */
  public Set<String> live() {
    List<Set<String>> result = new ArrayList<>();
    loop.inside(() -> result.add(manager.live()));
    return result.get(0);
  }

  /** The tree of a cluster, as status views show it. */
  public LbNode describe(String cluster) {
    List<LbNode> result = new ArrayList<>();
    loop.inside(
        () ->
            LbNode.of(manager::accept).stream()
                .filter(node -> node.name().equals(cluster))
                .forEach(result::add));
    return result.get(0);
  }

  /** An endpoint of a cluster's tree, as status views show it. */
  public LbEndpoint endpoint(String cluster, String address) {
    return endpoints(describe(cluster))
        .filter(endpoint -> endpoint.address().toString().equals(address))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no endpoint " + address + " in " + cluster));
  }

  private static Stream<LbEndpoint> endpoints(LbNode node) {
    return Stream.concat(
        node.endpoints().stream(), node.children().stream().flatMap(LbScript::endpoints));
  }

  public int clusterChanges() {
    return clusterChanges;
  }

  public int reresolutions() {
    return reresolutions;
  }

  @Override
  public void onClustersChanged() {
    clusterChanges++;
  }

  @Override
  public void onReresolution() {
    reresolutions++;
  }
}

package io.outrigger.lb.endpoint;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.member.HappyEyeballs;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Sends all calls to the first address that connects (A62). The policy connects as soon as it
 * receives endpoints. After a connection is lost, the policy connects again at the next pick.
 *
 * <pre>
 * any               -> TRANSIENT_FAILURE on an empty list; connections are closed
 * TRANSIENT_FAILURE -> CONNECTING        on the first list after an empty one
 * </pre>
 *
 * <p>{@link HappyEyeballs} defines the state transitions while there are endpoints.
 */
@ControlConfined
final class PickFirstPolicy implements LbPolicy {
  private static final PickResult WAITS =
      PickResult.Queue.connecting("pick_first: waiting for any subchannel to connect");

  private static final long RESOLUTION = 1L << 52;

  private final LbContext context;
  private final LbParent parent;

  private LbConfig.Leaf config;
  private @Nullable HappyEyeballs addresses;
  private boolean updating;

  PickFirstPolicy(LbContext context, LbConfig.Leaf config, LbParent parent) {
    this.context = context;
    this.config = config;
    this.parent = parent;
  }

  @Override
  public void update(LbConfig next) {
    config = (LbConfig.Leaf) next;
    updating = true;
    List<Backend> backends =
        ((BalancingPolicy.PickFirst) config.settings()).shuffle()
            ? shuffled(config.backends(), config.weights(), context.random())
            : config.backends();
    if (backends.isEmpty()) {
      close();
    } else if (addresses != null) {
      addresses.update(backends);
    } else {
      var list = new HappyEyeballs(context.control(), parent, this::onChange);
      addresses = list;
      list.update(backends);
      list.connect();
    }
    updating = false;
    publish();
  }

  private record Keyed(double key, Backend backend) {}

  /**
   * Shuffles endpoints by weight (A113). Each position of the result gets one of the remaining
   * endpoints, which is drawn with a probability in proportion to its weight.
   */
  static List<Backend> shuffled(
      List<Backend> backends, LocalityWeights localities, RandomSource random) {
    long[] weights = localities.sharesOf(backends);
    return IntStream.range(0, weights.length)
        .mapToObj(i -> new Keyed(key(weights[i], random), backends.get(i)))
        .sorted(Comparator.comparingDouble(Keyed::key))
        .map(Keyed::backend)
        .toList();
  }

  /**
   * Draws an exponentially distributed number whose rate is the weight. The ascending order of the
   * drawn numbers is the descending order of A113's {@code u^(1/w)}.
   */
  private static double key(long weight, RandomSource random) {
    double unit = (random.nextLong(RESOLUTION, Purpose.SHUFFLE) + 0.5) / RESOLUTION;
    return -Math.log(unit) / weight;
  }

  @Override
  public void close() {
    if (addresses != null) {
      addresses.close();
      addresses = null;
    }
  }

  @Override
  public void accept(NodeVisitor visitor, String name, boolean isUsed) {
    HappyEyeballs list = addresses;
    Connectivity state = list == null ? Connectivity.TRANSIENT_FAILURE : list.state();
    visitor.enter(new LbNode(name, config.policy(), state, Map.of(), "", isUsed));
    if (list != null) {
      list.describe(config.backends()).forEach(visitor::endpoint);
    }
    visitor.leave();
  }

  private void onChange() {
    if (!updating) {
      publish();
    }
  }

  private void publish() {
    HappyEyeballs list = addresses;
    if (list == null) {
      fail("there are no endpoints");
      return;
    }
    switch (list.state()) {
      case READY -> {
        var use = new PickResult.Use(list.chosen().orElseThrow());
        parent.publish(Connectivity.READY, new Picker.Fixed(use));
      }
      case CONNECTING -> parent.publish(Connectivity.CONNECTING, new Picker.Fixed(WAITS));
      case IDLE -> parent.publish(Connectivity.IDLE, new WakingPicker(list));
      case TRANSIENT_FAILURE ->
          fail("no address can be reached; last error: " + list.lastError().message());
    }
  }

  private void fail(String reason) {
    var failure = new PickResult.Fail(config.note().unavailable(reason));
    parent.publish(Connectivity.TRANSIENT_FAILURE, new Picker.Fixed(failure));
  }

  /** Queues the call and begins to connect (A62-02). */
  @AnyThread
  private final class WakingPicker implements Picker {
    private final HappyEyeballs list;
    private final AtomicBoolean requested = new AtomicBoolean();

    WakingPicker(HappyEyeballs list) {
      this.list = list;
    }

    @Override
    public PickResult pick(PickContext call) {
      if (!requested.get() && requested.compareAndSet(false, true)) {
        context.control().execute(list::connect);
      }
      return WAITS;
    }

    @Override
    public PickPlan plan(PlannedCall call) {
      return new PickPlan.Certain(WAITS);
    }
  }
}

package io.outrigger.lb.subset;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.lb.ChildSlot;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PolicyFactory;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.NodeHead;
import io.outrigger.lb.view.NodeVisitor;
import java.util.List;
import java.util.Map;

/**
 * Reduces the endpoints of its child policy to a random subset (A68), so that not every client of a
 * large fleet connects to every backend. A seed that is drawn once determines the subset: the
 * subset stays the same as long as this node exists, except for endpoints that are added or
 * removed.
 *
 * <p>The subset is chosen only during updates. The node forwards the state, the pickers and the
 * subchannels of its child policy unchanged. The nodes above still know the endpoints outside the
 * subset: outlier detection keeps their history, and a session that used such an endpoint still
 * uses it (A75).
 */
@ControlConfined
public final class RandomSubsettingPolicy implements LbPolicy {
  private final ChildSlot child;
  private final Ranking ranking;

  private LbConfig.RandomSubset config;
  private Membership members = new Membership(List.of());

  public RandomSubsettingPolicy(
      PolicyFactory factory, RandomSource random, LbConfig.RandomSubset config, LbParent parent) {
    this.child = new ChildSlot(factory, parent);
    this.ranking = new Ranking(random.nextLong(Long.MAX_VALUE, Purpose.SUBSET));
    this.config = config;
  }

  @Override
  public void update(LbConfig next) {
    config = (LbConfig.RandomSubset) next;
    List<Backend> all = config.backends();
    List<Backend> chosen = ranking.lowest(all, config.subsetSize());
    members = new Membership(chosen);
    boolean isWhole = chosen.size() == all.size();
    child.update(isWhole ? config.child() : members.partOf(config.child()));
  }

  @Override
  public void close() {
    child.close();
  }

  @Override
  public void accept(NodeVisitor visitor, String name, boolean isUsed) {
    Map<String, Object> settings = Map.of("subset_size", config.subsetSize());
    String detail = members.size() + " of " + config.backends().size() + " endpoints";
    visitor.enter(new NodeHead(name, config.policy(), child.state(), settings, detail, isUsed));
    child.accept(visitor, name, true);
    for (Backend backend : config.backends()) {
      if (!members.has(backend)) {
        visitor.endpoint(LbEndpoint.untouched(backend));
      }
    }
    visitor.leave();
  }
}

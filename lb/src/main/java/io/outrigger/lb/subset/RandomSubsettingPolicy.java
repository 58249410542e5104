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
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.NodeHead;
import io.outrigger.lb.view.NodeVisitor;
import java.util.List;
import java.util.Map;

/**
 * Gives the policy beneath a random part of the endpoints (A68), so that not every client of a
 * large fleet connects to every backend. A seed that is drawn once decides which part: it stays the
 * same as long as this node exists, except for endpoints that come and go.
 *
 * <p>The part is chosen at updates alone. State, pickers and subchannels are those of the policy
 * beneath, handed on as they are. Endpoints outside of the part stay known to the nodes above:
 * outlier detection keeps their history, and a session that had one of them goes there (A75).
 */
@ControlConfined
public final class RandomSubsettingPolicy implements LbPolicy {
  private final ChildSlot child;
  private final Ranking ranking;

  private LbConfig.RandomSubset config;
  private Membership members = new Membership(List.of());

  /** A policy without endpoints until its first update. */
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

  /** Endpoints outside of the subset count as IDLE: only sessions connect to them. */
  @Override
  public void count(EndpointTally tally) {
    child.count(tally);
    tally.add(Connectivity.IDLE, config.size() - members.size());
  }

  @Override
  public void accept(NodeVisitor visitor, String name, boolean isUsed) {
    Map<String, Object> settings = Map.of("subset_size", config.subsetSize());
    String detail = members.size() + " of " + config.size() + " endpoints";
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

package io.outrigger.lb.member;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import java.util.List;

/**
 * Shares calls among all endpoints that are READY. The policy connects every endpoint, and
 * reconnects an endpoint as soon as its connection is lost. A failed endpoint stays in
 * TRANSIENT_FAILURE until it is READY (A62).
 *
 * <pre>
 * READY              any endpoint is READY
 * CONNECTING         else, any endpoint is CONNECTING
 * TRANSIENT_FAILURE  else
 * </pre>
 */
@ControlConfined
public abstract class EveryEndpointPolicy<M extends LeafEndpoint> extends EndpointPolicy<M> {
  private final Picker.Fixed waits;

  protected EveryEndpointPolicy(LbContext context, LbConfig.Leaf config, LbParent parent) {
    super(context, config, parent);
    waits =
        new Picker.Fixed(
            PickResult.Queue.connecting(config.policy() + ": waiting for any endpoint to connect"));
  }

  /**
   * Creates a picker that shares calls among READY members.
   *
   * @param ready the members in state READY, at least one
   * @param results the pick results of the READY members, in the same order
   */
  protected abstract Picker picker(List<M> ready, PickResult[] results);

  @Override
  protected void onUpdate(Change<M> change) {
    change.added().forEach(LeafEndpoint::connect);
  }

  @Override
  protected void onMemberChange(M member) {
    member.connect(); // reconnects a member that is IDLE
  }

  @Override
  protected final void publish() {
    List<M> ready = ready();
    if (!ready.isEmpty()) {
      PickResult[] results = ready.stream().map(LeafEndpoint::use).toArray(PickResult[]::new);
      publish(Connectivity.READY, picker(ready, results));
    } else if (count(Connectivity.CONNECTING) > 0) {
      publish(Connectivity.CONNECTING, waits);
    } else {
      publishFailure();
    }
  }
}

package io.outrigger.lb.member;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbEndpoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint of a policy and its connection to one of its addresses: the pick_first child of A61.
 * It connects on {@link #connect}.
 */
@ControlConfined
public class LeafEndpoint {
  private final HappyEyeballs addresses;

  /** The note that {@link ReadyMembers} keeps with the endpoint. */
  final ReadyMembers.Entry entry = new ReadyMembers.Entry();

  private Runnable onChange = () -> {};
  private Backend backend;
  private PickResult.@Nullable Use use;

  /** An endpoint in IDLE; {@code parent} gives its subchannels. */
  public LeafEndpoint(ControlLoop control, LbParent parent, Backend backend) {
    this.addresses = new HappyEyeballs(control, parent, () -> onChange.run());
    this.backend = backend;
  }

  /** {@code listener} runs after a new state, error or connection. */
  final void listen(Runnable listener) {
    onChange = listener;
  }

  public final Backend backend() {
    return backend;
  }

  public Connectivity state() {
    return addresses.state();
  }

  /** Begins to connect, if IDLE. */
  public final void connect() {
    addresses.connect();
  }

  /** The prepared answer; in READY. The same object while the connection is the same. */
  public PickResult.Use use() {
    Subchannel chosen = addresses.chosen().orElseThrow();
    PickResult.Use prepared = use;
    if (prepared == null || prepared.subchannel() != chosen) {
      prepared = new PickResult.Use(chosen);
      use = prepared;
    }
    return prepared;
  }

  /** Why calls to it fail; in TRANSIENT_FAILURE. */
  public final String failure() {
    return addresses.lastError().message();
  }

  final void update(Backend current) {
    backend = current;
    addresses.update(List.of(current));
  }

  final void close() {
    addresses.close();
    onClose();
  }

  /** The policy has no use for the endpoint any more. */
  protected void onClose() {}

  final LbEndpoint describe() {
    return addresses.describe(backend);
  }
}

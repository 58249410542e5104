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
 * One endpoint of a policy. When {@link #connect} is called, the endpoint connects to one of its
 * addresses, as A61's pick_first child does.
 */
@ControlConfined
public class LeafEndpoint {
  private final HappyEyeballs addresses;

  private Runnable onChange = () -> {};
  private Backend backend;
  private PickResult.@Nullable Use use;

  public LeafEndpoint(ControlLoop control, LbParent parent, Backend backend) {
    this.addresses = new HappyEyeballs(control, parent, () -> onChange.run());
    this.backend = backend;
    addresses.update(List.of(backend));
  }

  /** Sets the listener, which runs after each change of state, error or connection. */
  final void listen(Runnable listener) {
    onChange = listener;
  }

  public final Backend backend() {
    return backend;
  }

  public Connectivity state() {
    return addresses.state();
  }

  /** Begins to connect if the state is IDLE. */
  public final void connect() {
    addresses.connect();
  }

  /**
   * The pick result for this endpoint; available in state READY. The result object stays the same
   * while the connection stays the same.
   */
  public PickResult.Use use() {
    Subchannel chosen = addresses.chosen().orElseThrow();
    PickResult.Use prepared = use;
    if (prepared == null || prepared.subchannel() != chosen) {
      prepared = new PickResult.Use(chosen);
      use = prepared;
    }
    return prepared;
  }

  /** The error message with which calls fail; available in state TRANSIENT_FAILURE. */
  public final String failure() {
    return addresses.lastError().message();
  }

  @SuppressWarnings("ReferenceEquality") // equal backends are the same object
  final void update(Backend current) {
    if (backend != current) {
      backend = current;
      addresses.update(List.of(current));
    }
  }

  final void close() {
    addresses.close();
    onClose();
  }

  protected void onClose() {}

  final LbEndpoint describe() {
    return addresses.describe(backend);
  }
}

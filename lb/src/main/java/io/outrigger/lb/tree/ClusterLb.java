package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.ChildSlot;
import io.outrigger.lb.Connector;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PolicyFactory;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.subchannel.ManagedSubchannel;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.NodeVisitor;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One cluster of a target: the root of its tree, and the handle to which the tree publishes. */
@ControlConfined
final class ClusterLb implements LbParent {
  private final LbContext context;
  private final Connector connector;
  private final ClusterEvents events;
  private final Consumer<ClusterLb> onCallsWaiting;
  private final Runnable reresolution;
  private final ClusterHandle handle;
  private final PolicyFactory factory;
  private ChildSlot tree;
  private @Nullable Class<?> kind;

  /**
   * @param onCallsWaiting receives this cluster when calls begin to wait for its next picker
   */
  ClusterLb(
      String name,
      LbContext context,
      Connector connector,
      PolicyFactory factory,
      Consumer<ClusterLb> onCallsWaiting,
      Runnable reresolution,
      Consumer<ClusterHandle> onUnused) {
    this.context = context;
    this.connector = connector.ofCluster(name);
    this.events = new ClusterEvents(name, context.control(), context.observer(), this::accept);
    this.onCallsWaiting = onCallsWaiting;
    this.reresolution = reresolution;
    this.factory = factory;
    this.tree = new ChildSlot(factory, this);
    this.handle = new ClusterHandle(name, tree.picker(), onUnused, this::onCallsWaiting);
  }

  ClusterHandle handle() {
    return handle;
  }

  /**
   * Applies a configuration to the tree. A cluster that becomes an aggregate, or stops being an
   * aggregate, immediately gets a new tree. Only a change of the cluster's policy is a graceful
   * switch (A52, decision lb-0030).
   *
   * @param note the resolution note, which is added to the status messages of failed calls (A88)
   */
  void update(LbConfig config, String note) {
    handle.note(note);
    if (kind != null && !kind.equals(config.kind())) {
      ChildSlot before = tree;
      tree = new ChildSlot(factory, this);
      tree.update(config);
      before.close(); // after the picker of the old tree was replaced
    } else {
      tree.update(config);
    }
    kind = config.kind();
  }

  void close() {
    events.close();
    tree.close();
  }

  /** Fails the calls that still hold the handle after the tree was closed. */
  void failCalls() {
    var status = RpcStatus.unavailable("cluster \"" + handle.name() + "\" was released");
    handle.publish(
        Connectivity.TRANSIENT_FAILURE,
        new Picker.Fixed(new PickResult.Drop(status, PickResult.Reason.NO_CLUSTER)));
  }

  /** Any thread may call this method. */
  private void onCallsWaiting() {
    context
        .control()
        .execute(
            () -> {
              connector.onCallsWaiting();
              onCallsWaiting.accept(this);
            });
  }

  Optional<LbEvent.Outage> outage() {
    return events.outage();
  }

  void accept(NodeVisitor visitor) {
    tree.accept(visitor, handle.name(), true);
  }

  @Override
  public Subchannel newSubchannel(
      Backend backend, EndpointAddress address, Subchannel.Listener listener) {
    return new ManagedSubchannel(
        context.control(),
        connector.ofEndpoint(backend.endpoint().address()),
        context.random(),
        backend,
        address,
        events.listener(address, listener));
  }

  @Override
  public void publish(Connectivity state, Picker picker) {
    handle.publish(state, picker);
    events.onState(state);
  }

  @Override
  public void requestReresolution() {
    reresolution.run();
  }
}

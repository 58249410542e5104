package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import java.util.function.UnaryOperator;

/**
 * Forwards every call to {@code parent} and wraps the subchannels that {@code parent} creates
 * (decision lb-0001).
 */
@ControlConfined
public record WrappedSubchannels(LbParent parent, UnaryOperator<Subchannel> wrap)
    implements LbParent {
  @Override
  public Subchannel newSubchannel(
      Backend backend, EndpointAddress address, SubchannelListener listener) {
    return wrap.apply(parent.newSubchannel(backend, address, listener));
  }

  @Override
  public void publish(Connectivity state, Picker picker) {
    parent.publish(state, picker);
  }

  @Override
  public void requestReresolution() {
    parent.requestReresolution();
  }
}

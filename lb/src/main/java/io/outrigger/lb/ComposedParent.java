package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/** An {@link LbParent} whose methods are functions that its creator supplies. */
@ControlConfined
public record ComposedParent(
    SubchannelFactory subchannels,
    BiConsumer<Connectivity, Picker> publisher,
    Runnable reresolution)
    implements LbParent {
  public interface SubchannelFactory {
    Subchannel create(Backend backend, EndpointAddress address, Subchannel.Listener listener);
  }

  public static ComposedParent wrapping(LbParent parent, UnaryOperator<Subchannel> wrap) {
    return new ComposedParent(
        (backend, address, listener) ->
            wrap.apply(parent.newSubchannel(backend, address, listener)),
        parent::publish,
        parent::requestReresolution);
  }

  @Override
  public Subchannel newSubchannel(
      Backend backend, EndpointAddress address, Subchannel.Listener listener) {
    return subchannels.create(backend, address, listener);
  }

  @Override
  public void publish(Connectivity state, Picker picker) {
    publisher.accept(state, picker);
  }

  @Override
  public void requestReresolution() {
    reresolution.run();
  }
}

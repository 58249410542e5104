package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.member.LeafEndpoint;
import org.jspecify.annotations.Nullable;

/** An endpoint of a ring with its slot and its pick result. */
@ControlConfined
final class PlacedEndpoint extends LeafEndpoint {
  private Slot slot;
  private @Nullable PickResult result;

  PlacedEndpoint(ControlLoop control, LbParent parent, Backend backend) {
    super(control, parent, backend);
    this.slot = Slot.of(backend);
  }

  Slot slot() {
    return slot;
  }

  /** Takes the slot of the current backend. */
  void move() {
    slot = Slot.of(backend());
  }

  /** The pick result; null unless the endpoint is READY or has failed. */
  @Nullable PickResult result() {
    return result;
  }

  void result(@Nullable PickResult next) {
    result = next;
  }
}

package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.member.LeafEndpoint;

/** An endpoint and its slot. */
@ControlConfined
final class PlacedEndpoint extends LeafEndpoint {
  private Slot slot;

  PlacedEndpoint(ControlLoop control, LbParent parent, Backend backend, WeightClass weight) {
    super(control, parent, backend);
    this.slot = Slot.of(backend, weight);
  }

  Slot slot() {
    return slot;
  }

  /** Moves it to another place on the ring, under the same number. */
  void move(Slot next) {
    next.number(slot.number());
    slot.leave();
    slot = next;
  }

  @Override
  protected void onClose() {
    slot.leave();
  }
}

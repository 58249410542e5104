package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.member.LeafEndpoint;

/** An endpoint of a ring and its slot. */
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

  /** Moves the endpoint to the slot {@code next}, with an unchanged number. */
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

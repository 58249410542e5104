package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The slots of a ring in the order of their keys, so that rounding gives the same ring in every
 * process. An update does not sort again the slots that stay.
 */
@ControlConfined
final class KeyOrder {
  private List<Slot> slots = new ArrayList<>();

  /** A view of the slots, for building the next ring. */
  List<Slot> slots() {
    return Collections.unmodifiableList(slots);
  }

  /** Adds the slots {@code added}. */
  void add(List<Slot> added) {
    List<Slot> sorted = new ArrayList<>(added);
    Collections.sort(sorted);
    List<Slot> merged = new ArrayList<>(slots.size() + sorted.size());
    int from = 0;
    for (Slot slot : sorted) {
      int to = from + placeOf(slot, slots.subList(from, slots.size()));
      merged.addAll(slots.subList(from, to));
      merged.add(slot);
      from = to;
    }
    merged.addAll(slots.subList(from, slots.size()));
    slots = merged;
  }

  /** Removes the slots that were marked with {@link Slot#leave}. */
  void removeLeft() {
    slots.removeIf(Slot::hasLeft);
  }

  private static int placeOf(Slot slot, List<Slot> among) {
    int found = Collections.binarySearch(among, slot);
    return found >= 0 ? found : -1 - found;
  }
}

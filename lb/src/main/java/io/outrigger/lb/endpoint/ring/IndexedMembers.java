package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.state.Connectivity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints of a ring and their connectivity states, in arrays with gapless indexes from 0;
 * pickers get copies. An endpoint keeps its index across updates, with one exception: when an
 * endpoint is removed, the last endpoint moves to its index.
 */
@ControlConfined
final class IndexedMembers {
  private final List<PlacedEndpoint> members = new ArrayList<>();
  private Connectivity[] states = new Connectivity[16];
  private @Nullable PickResult[] results = new PickResult[16];

  /** Gives {@code member} the next free index; the caller must then call {@link #note}. */
  void add(PlacedEndpoint member) {
    int number = members.size();
    if (number == states.length) {
      states = Arrays.copyOf(states, 2 * number);
      results = Arrays.copyOf(results, 2 * number);
    }
    members.add(member);
    member.slot().number(number);
  }

  void remove(PlacedEndpoint member) {
    int number = member.slot().number();
    int end = members.size() - 1;
    PlacedEndpoint last = members.remove(end);
    if (last != member) {
      members.set(number, last);
      last.slot().number(number);
      states[number] = states[end];
      results[number] = results[end];
    }
    results[end] = null;
  }

  /**
   * Sets the state of {@code member}.
   *
   * @param result the pick result of {@code member} when it is READY or has failed; otherwise null
   */
  void note(PlacedEndpoint member, @Nullable PickResult result) {
    int number = member.slot().number();
    states[number] = member.state();
    results[number] = result;
  }

  /** Returns a copy of the members, by index. */
  List<PlacedEndpoint> members() {
    return List.copyOf(members);
  }

  /** Returns a copy of the states, by index. */
  Connectivity[] states() {
    return Arrays.copyOf(states, members.size());
  }

  /** Returns a copy of the pick results, by index. */
  @Nullable PickResult[] results() {
    return Arrays.copyOf(results, members.size());
  }
}

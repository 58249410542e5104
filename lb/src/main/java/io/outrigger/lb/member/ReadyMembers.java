package io.outrigger.lb.member;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.state.Connectivity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The states of a policy's members: how many members are in each state, and which are READY, with
 * their pick results. It is updated at each change, so that a policy of ten thousand members never
 * walks over them; pick results are handed out as a copy of one array.
 *
 * <p>READY members stand in the order in which they became READY, with one exception: the last one
 * takes the place of a member that leaves.
 */
@ControlConfined
final class ReadyMembers<M extends LeafEndpoint> {
  private final Map<Connectivity, Integer> counts = new EnumMap<>(Connectivity.class);
  private final List<M> ready = new ArrayList<>();

  /** Of {@link #ready}, in the same order; longer than that. */
  private PickResult[] answers = new PickResult[16];

  /** How many members are in {@code state}. */
  int count(Connectivity state) {
    return counts.getOrDefault(state, 0);
  }

  /** The members in READY; a view. */
  List<M> ready() {
    return Collections.unmodifiableList(ready);
  }

  /** The pick results of the members in READY, in the order of {@link #ready}; a copy. */
  PickResult[] answers() {
    return Arrays.copyOf(answers, ready.size());
  }

  /** Takes a new member in. */
  void add(M member) {
    enter(member);
  }

  /** The state or the connection of {@code member} may have changed. */
  void note(M member) {
    if (member.entry.state != member.state()) {
      leave(member);
      enter(member);
    } else if (member.entry.state == Connectivity.READY) {
      answers[member.entry.place] = member.use();
    }
  }

  /** Removes a member, whatever its state is now. */
  void remove(M member) {
    leave(member);
  }

  private void enter(M member) {
    Connectivity state = member.state();
    member.entry.state = state;
    counts.merge(state, 1, Integer::sum);
    if (state == Connectivity.READY) {
      int place = ready.size();
      ready.add(member);
      if (place == answers.length) {
        answers = Arrays.copyOf(answers, 2 * place);
      }
      member.entry.place = place;
      answers[place] = member.use();
    }
  }

  private void leave(M member) {
    Connectivity state = member.entry.state;
    counts.merge(state, -1, Integer::sum);
    if (state == Connectivity.READY) {
      int place = member.entry.place;
      M last = ready.remove(ready.size() - 1);
      if (last != member) {
        ready.set(place, last);
        answers[place] = answers[ready.size()];
        last.entry.place = place;
      }
    }
  }

  /** The last known state of a member, and its place among the READY ones. */
  static final class Entry {
    private Connectivity state = Connectivity.IDLE;
    private int place;
  }
}

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
 * The states of a policy's members: the number of members in each state, and the READY members with
 * their pick results. Each change updates this data, so that a policy of ten thousand members never
 * iterates over all members. Callers get the pick results as a copy of one array.
 *
 * <p>READY members are in the order in which they became READY, with one exception: when a member
 * leaves, the last member moves to its index.
 */
@ControlConfined
final class ReadyMembers<M extends LeafEndpoint> {
  private final Map<Connectivity, Integer> counts = new EnumMap<>(Connectivity.class);
  private final List<M> ready = new ArrayList<>();

  /** The pick results of {@link #ready}, in the same order; the array has spare capacity. */
  private PickResult[] answers = new PickResult[16];

  int count(Connectivity state) {
    return counts.getOrDefault(state, 0);
  }

  List<M> ready() {
    return Collections.unmodifiableList(ready);
  }

  PickResult[] answers() {
    return Arrays.copyOf(answers, ready.size());
  }

  void add(M member) {
    enter(member);
  }

  /** Called when the state or the connection of {@code member} may have changed. */
  void note(M member) {
    if (member.entry.state != member.state()) {
      leave(member);
      enter(member);
    } else if (member.entry.state == Connectivity.READY) {
      answers[member.entry.place] = member.use();
    }
  }

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

  /** The last known state of a member, and its index among the READY members. */
  static final class Entry {
    private Connectivity state = Connectivity.IDLE;
    private int place;
  }
}

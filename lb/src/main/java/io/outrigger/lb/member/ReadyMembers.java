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
 * How the members of a policy stand: how many there are in each state, and which are READY, with
 * their answers. It is told of each change, so that what follows from the states of ten thousand is
 * known without a look at any of them; their answers are handed out by copying one array.
 *
 * <p>READY members are in the order in which they became so, but for the last, which takes the
 * place of one that leaves.
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

  /** What the members in READY answer, in the order of {@link #ready}; a copy. */
  PickResult[] answers() {
    return Arrays.copyOf(answers, ready.size());
  }

  /** Takes a new member in. */
  void add(M member) {
    enter(member);
  }

  /** {@code member}, which is in, has another state or another connection, perhaps. */
  void note(M member) {
    if (member.entry.state != member.state()) {
      leave(member);
      enter(member);
    } else if (member.entry.state == Connectivity.READY) {
      answers[member.entry.place] = member.use();
    }
  }

  /** Forgets a member, in whatever state it is by now. */
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

  /** What a member was when it was noted last, and where it has it among those READY. */
  static final class Entry {
    private Connectivity state = Connectivity.IDLE;
    private int place;
  }
}

package io.outrigger.lb.tree;

import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.endpoint.LocalityEndpoints;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Names for the priorities of a cluster that follow the localities: a priority takes a name under
 * which one of its localities was known before, so that localities that move to another priority
 * together keep their policy and its connections (A56 "LB Policy Configuration").
 *
 * @param names one name per priority, in the order of the priorities
 * @param known the names under which each locality is known, highest priority first; a locality
 *     that is in several priorities has several names
 * @param next the number of the next new name; numbers are never reused
 */
record PriorityNames(List<String> names, Map<Locality, List<String>> known, long next) {
  static final PriorityNames NONE = new PriorityNames(List.of(), Map.of(), 0);

  /** Returns names for {@code priorities}; no two names are equal. */
  PriorityNames after(List<List<LocalityEndpoints>> priorities) {
    Set<String> taken = new HashSet<>();
    List<String> after = new ArrayList<>();
    Map<Locality, List<String>> knownAfter = new HashMap<>();
    long number = next;
    for (List<LocalityEndpoints> priority : priorities) {
      String name = null;
      for (LocalityEndpoints locality : priority) {
        for (String old : known.getOrDefault(locality.locality(), List.of())) {
          if (name == null && !taken.contains(old)) {
            name = old;
          }
        }
      }
      if (name == null) {
        name = "child" + number;
        number++;
      }
      taken.add(name);
      after.add(name);
      for (LocalityEndpoints locality : priority) {
        knownAfter.computeIfAbsent(locality.locality(), none -> new ArrayList<>()).add(name);
      }
    }
    return new PriorityNames(List.copyOf(after), Map.copyOf(knownAfter), number);
  }
}

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
 * The names of a cluster's priorities. A priority takes over the name of an earlier priority if
 * both contain the same locality. Localities that move together to another priority keep their
 * policy and its connections (A56 "LB Policy Configuration").
 *
 * @param names one name per priority, in the order of the priorities
 * @param byLocality the names of the priorities that contain a locality, highest priority first
 * @param next the number in the next new name; numbers are never reused
 */
record PriorityNames(List<String> names, Map<Locality, List<String>> byLocality, long next) {
  static final PriorityNames NONE = new PriorityNames(List.of(), Map.of(), 0);

  /** Returns distinct names for a cluster's new priorities. */
  PriorityNames after(List<List<LocalityEndpoints>> priorities) {
    Set<String> taken = new HashSet<>();
    List<String> after = new ArrayList<>();
    Map<Locality, List<String>> knownAfter = new HashMap<>();
    long number = next;
    for (List<LocalityEndpoints> priority : priorities) {
      String name = null;
      for (LocalityEndpoints locality : priority) {
        for (String old : byLocality.getOrDefault(locality.locality(), List.of())) {
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

package io.outrigger.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Groups of top-level classes that all depend on each other, by the bytecode: whatever is nested
 * counts as its top-level class. Tarjan's algorithm for strongly connected components.
 */
final class Knots {
  private final Map<String, Set<String>> uses = new HashMap<>();
  private final Map<String, Integer> places = new HashMap<>();
  private final Map<String, Integer> lowest = new HashMap<>();
  private final Deque<String> open = new ArrayDeque<>();
  private final List<Set<String>> found = new ArrayList<>();

  private Knots(Collection<JavaClass> classes) {
    for (JavaClass type : classes) {
      uses.computeIfAbsent(topLevel(type), name -> new LinkedHashSet<>());
    }
    for (JavaClass type : classes) {
      Set<String> targets = uses.get(topLevel(type));
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        String target = topLevel(dependency.getTargetClass().getBaseComponentType());
        if (uses.containsKey(target)) {
          targets.add(target);
        }
      }
    }
  }

  /** Each group of more than {@code most} classes, with full names in order. */
  static List<Set<String>> above(int most, Collection<JavaClass> classes) {
    var knots = new Knots(classes);
    for (String type : new TreeSet<>(knots.uses.keySet())) {
      if (!knots.places.containsKey(type)) {
        knots.visit(type);
      }
    }
    return knots.found.stream().filter(group -> group.size() > most).toList();
  }

  private static String topLevel(JavaClass type) {
    String name = type.getName();
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  private void visit(String type) {
    int place = places.size();
    places.put(type, place);
    lowest.put(type, place);
    open.push(type);
    for (String target : uses.getOrDefault(type, Set.of())) {
      if (!places.containsKey(target)) {
        visit(target);
        lowest.merge(type, lowest.get(target), Math::min);
      } else if (open.contains(target)) {
        lowest.merge(type, places.get(target), Math::min);
      }
    }
    if (lowest.get(type) == place) {
      Set<String> group = new TreeSet<>();
      do {
        group.add(open.pop());
      } while (!group.contains(type));
      found.add(group);
    }
  }
}

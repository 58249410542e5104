package io.outrigger.lb.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.lb.testing.Samples;
import io.outrigger.testing.Conformance;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class PriorityNamesTest {
  @Test
  void theSamePrioritiesKeepTheirNames() {
    PriorityNames first = PriorityNames.NONE.after(priorities("a b", "c"));

    PriorityNames second = first.after(priorities("a b", "c"));

    assertThat(first.names()).containsExactly("child0", "child1");
    assertThat(second).isEqualTo(first);
  }

  @Conformance("A56-10")
  @Test
  void namesFollowLocalities() {
    PriorityNames first = PriorityNames.NONE.after(priorities("a b", "c d"));

    assertThat(first.after(priorities("c", "d e")).names()).containsExactly("child1", "child2");
    assertThat(first.after(priorities("c", "a")).names()).containsExactly("child1", "child0");
    assertThat(first.after(priorities("x", "a")).names()).containsExactly("child2", "child0");
  }

  @Test
  void aNumberIsNeverUsedAgain() {
    PriorityNames first = PriorityNames.NONE.after(priorities("a", "b"));

    PriorityNames third = first.after(priorities("a")).after(priorities("a", "b"));

    assertThat(third.names()).containsExactly("child0", "child2");
  }

  @Test
  void aLocalityInTwoPrioritiesKeepsBothNames() {
    PriorityNames first = PriorityNames.NONE.after(priorities("a", "a"));

    assertThat(first.names()).containsExactly("child0", "child1");
    assertThat(first.after(priorities("a", "a")).names()).isEqualTo(first.names());
  }

  @Property(tries = 300, seed = "56")
  void namesAreAlwaysDifferentAndStable(
      @ForAll @Size(min = 1, max = 8)
          List<@Size(max = 4) List<@Size(max = 3) List<@IntRange(max = 5) Integer>>> updates) {
    PriorityNames names = PriorityNames.NONE;
    for (var update : updates) {
      List<List<LocalityEndpoints>> priorities =
          update.stream()
              .map(
                  priority ->
                      priority.stream()
                          .distinct()
                          .map(zone -> Samples.zone("z" + zone, "10.0.0.1:80"))
                          .toList())
              .toList();

      names = names.after(priorities);

      assertThat(names.names()).hasSameSizeAs(priorities);
      assertThat(new HashSet<>(names.names())).hasSameSizeAs(priorities);
      boolean allOccupied = priorities.stream().noneMatch(List::isEmpty);
      if (allOccupied) {
        assertThat(names.after(priorities).names()).isEqualTo(names.names());
      }
    }
  }

  /** Each text is a priority; the words in it are its localities. */
  private static List<List<LocalityEndpoints>> priorities(String... texts) {
    return Arrays.stream(texts)
        .map(
            text ->
                Arrays.stream(text.split(" "))
                    .map(zone -> Samples.zone(zone, "10.0.0.1:80"))
                    .toList())
        .toList();
  }
}

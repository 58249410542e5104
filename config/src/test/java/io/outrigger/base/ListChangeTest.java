package io.outrigger.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListChangeTest {
  @ParameterizedTest(name = "[{0}] to [{1}]: without [{2}], with [{3}]")
  @CsvSource({
    "'',      '',      '',    ''",
    "a b c,   a b c,   '',    ''",
    "'',      a b,     '',    a b",
    "a b,     '',      a b,   ''",
    "a b c,   a b c d, '',    d",
    "a b c,   x a b c, '',    x",
    "a b c,   a x b c, '',    x",
    "a b c,   a c,     b,     ''",
    "a b c,   a x c,   b,     x",
    "a b c d, a c b d, b c,   c b",
    "a a,     a a a,   '',    a",
    "a a a,   a a,     a,     ''",
    "a b a,   a,       b a,   ''",
  })
  void whatIsBetweenSharedHeadAndSharedTailHasChanged(
      String before, String after, String removed, String added) {
    ListChange<String> change = ListChange.between(list(before), list(after));

    assertThat(change.removed()).isEqualTo(list(removed));
    assertThat(change.added()).isEqualTo(list(added));
    assertThat(change.head() + change.removed().size() + change.tail())
        .isEqualTo(list(before).size());
  }

  @Test
  void whatIsEqualIsTheSameObject() {
    List<String> before = List.of(text("a"), text("b"), text("c"), text("d"));
    List<String> after = List.of(text("a"), text("c"), text("x"), text("b"), text("d"));

    List<String> shared = ListChange.shared(before, after);

    assertThat(shared).isEqualTo(after);
    assertThat(shared.get(0)).isSameAs(before.get(0));
    assertThat(shared.get(1)).isSameAs(before.get(2));
    assertThat(shared.get(2)).isSameAs(after.get(2));
    assertThat(shared.get(3)).isSameAs(before.get(1));
    assertThat(shared.get(4)).isSameAs(before.get(3));
  }

  /** An object of its own. */
  private static String text(String text) {
    return String.valueOf(text.toCharArray());
  }

  private static List<String> list(String text) {
    return text.isEmpty() ? List.of() : Arrays.asList(text.split(" "));
  }
}

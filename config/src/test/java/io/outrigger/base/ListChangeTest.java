package io.outrigger.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
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

  private static List<String> list(String text) {
    return text.isEmpty() ? List.of() : Arrays.asList(text.split(" "));
  }
}

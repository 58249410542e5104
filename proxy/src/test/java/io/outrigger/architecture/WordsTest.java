package io.outrigger.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Types have the words of the gRFCs and RFCs, so that who searches the text's word finds them. */
class WordsTest {
  /** Pictures from court, theatre and travel, where a text has a word for the thing. */
  private static final List<String> WORDS_OF_OUR_OWN =
      List.of(
          "Course",
          "Desk",
          "Farewell",
          "Keeping",
          "News",
          "Occupant",
          "Roster",
          "Seat",
          "Stranger",
          "Surroundings",
          "Told",
          "Unknowns",
          "Wish");

  @Test
  void namesOfTypesHaveTheWordsOfTheTexts() {
    Pattern own = Pattern.compile("(" + String.join("|", WORDS_OF_OUR_OWN) + ")(?![a-z])");
    Set<String> found = new TreeSet<>();
    for (JavaClass type : Product.CLASSES) {
      if (own.matcher(type.getSimpleName()).find()) {
        found.add(type.getName());
      }
    }

    assertThat(found).isEmpty();
  }
}

package io.outrigger.xds.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules of several files, each with a name of its own (CONTRACT section 11). */
final class OverlayFilesTest {
  @TempDir private Path folder;
  private OverlayFiles files = OverlayFiles.NONE;

  private void write(String file, String... rules) throws IOException {
    var text = new StringBuilder("overlay:\n");
    for (String rule : rules) {
      text.append("- {name: ").append(rule).append(", clusters: ['*'], patch: {alpn: [a]}}\n");
    }
    Files.writeString(folder.resolve(file), text);
  }

  private List<String> read() {
    files = OverlayFiles.read(List.of(folder), files);
    return files.overlay().rules().stream().map(OverlayRule::name).toList();
  }

  private void assertProblem(String text) {
    assertThat(files.problems()).hasSize(1);
    assertThat(files.problems().get(0).toString().replace(folder + "/", "")).isEqualTo(text);
  }

  @Conformance("OV-04")
  @Test
  void aFileThatTakesANameOfAnotherKeepsItsLastRulesUntilTheNameIsFree() throws IOException {
    write("a.yaml", "one");
    write("b.yaml", "two", "three");
    assertThat(read()).containsExactly("one", "two", "three");

    write("b.yaml", "four", "one");

    assertThat(read()).containsExactly("one", "two", "three");
    assertProblem(
        "b.yaml:3: rule one has the name of the rule one of a.yaml:2; give each rule its own name");
    assertThat(read()).containsExactly("one", "two", "three");
    assertThat(files.problems()).hasSize(1);

    write("a.yaml", "five");

    assertThat(read()).containsExactly("five", "four", "one");
    assertThat(files.problems()).isEmpty();
  }

  @Conformance("OV-04")
  @Test
  void theFileThatChangedIsTheWrongOneEvenIfItComesFirst() throws IOException {
    write("a.yaml", "one");
    write("b.yaml", "two");
    read();

    write("a.yaml", "two");
    write("0.yaml", "zero", "one");

    assertThat(read()).containsExactly("one", "two");
    assertThat(files.problems()).hasSize(2);

    Files.delete(folder.resolve("b.yaml"));

    assertThat(read()).containsExactly("zero", "one", "two");
    assertThat(files.problems()).isEmpty();
  }

  @Conformance("OV-04")
  @Test
  void aFileThatIsRefusedForANameDoesNotHoldUpTheOwnerOfTheName() throws IOException {
    write("50-a.yaml", "one");
    read();
    write("10-b.yaml", "one");
    read();

    write("50-a.yaml", "two", "one");

    assertThat(read()).containsExactly("two", "one");
    assertProblem(
        "10-b.yaml:2: rule one has the name of the rule one of 50-a.yaml:3; give each rule its own"
            + " name");
  }

  @Test
  void aRefusedFileIsParsedOnlyWhenItHasChanged() throws IOException {
    write("a.yaml", "one");
    write("b.yaml", "one");
    read();
    var parsed = files.lastRead().get(folder.resolve("b.yaml")).content();

    for (int i = 0; i < 10; i++) {
      read();
    }

    assertThat(files.lastRead().get(folder.resolve("b.yaml")).content()).isSameAs(parsed);
    Files.writeString(folder.resolve("b.yaml"), "overlay: [");
    read();
    assertThat(files.problems()).singleElement().asString().contains("not YAML");
  }
}

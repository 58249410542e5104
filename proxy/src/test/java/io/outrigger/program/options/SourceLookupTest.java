package io.outrigger.program.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceLookupTest extends OptionsFixture {
  private final List<String> pauses = new ArrayList<>();

  SourceLookupTest(@TempDir Path folder) throws IOException {
    super(folder);
  }

  /** One that finds {@code next} in the file after its pause. */
  private SourceLookup lookup(Duration timeout, String next) throws InvalidInput {
    GivenFlags settings = GivenFlags.of(flags, environment);
    return new SourceLookup(
        settings,
        environment,
        new PortsReader(settings, new Problems()),
        timeout,
        () -> {
          pauses.add("pause");
          try {
            Files.writeString(bootstrap, next);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @Conformance("DI-02")
  @Test
  void aFileThatIsBeingWrittenIsReadOnceMore() throws Exception {
    String whole = Files.readString(bootstrap);
    for (int end : List.of(0, 1, whole.length() / 2, whole.length() - 3)) {
      Files.writeString(bootstrap, whole.substring(0, end));

      assertThat(lookup(Duration.ofSeconds(1), whole).find().bootstrap().node().id())
          .isEqualTo("me");
    }
    assertThat(pauses).hasSize(4);
  }

  @Conformance("DI-02")
  @Test
  void whatStaysWrongIsWrong() throws Exception {
    Files.writeString(bootstrap, "{");

    assertThatThrownBy(lookup(Duration.ofSeconds(1), "{]")::find)
        .isInstanceOf(InvalidInput.class)
        .isNotInstanceOf(AbsentFile.class)
        .hasMessageContaining("is not JSON");
    assertThat(pauses).hasSize(1);
  }

  @Conformance("DI-02")
  @Test
  void withoutTimeThereIsNoPauseAndForWhatIsAbsentNeither() throws Exception {
    Files.writeString(bootstrap, "{");
    assertThatThrownBy(lookup(Duration.ZERO, BOOTSTRAP)::find).isInstanceOf(InvalidInput.class);
    Files.delete(bootstrap);
    assertThatThrownBy(lookup(Duration.ofSeconds(1), BOOTSTRAP)::find)
        .isInstanceOf(AbsentFile.class);

    assertThat(pauses).isEmpty();
  }
}

package io.outrigger.program.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.program.options.Flag;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.InvalidInput.AbsentFile;
import io.outrigger.program.options.Machine;
import io.outrigger.program.options.OptionsReader;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
class BootstrapWaitTest {
  private static final String BOOTSTRAP =
      """
      {"xds_servers": [{"server_uri": "cp:1", "channel_creds": [{"type": "insecure"}]}]}
      """;

  @TempDir private Path folder;
  private final CompletableFuture<Void> left = new CompletableFuture<>();
  private final List<ConfigSource> used = new ArrayList<>();

  private BootstrapWait start(String timeout) throws InvalidInput {
    ProxyOptions options =
        OptionsReader.read(
            Map.of(
                Flag.BOOTSTRAP, List.of(folder.resolve("b.json").toString()),
                Flag.BOOTSTRAP_TIMEOUT, List.of(timeout),
                Flag.FORWARD, List.of("0=xds:///a")),
            Map.of(),
            Machine.current());
    var wait = new BootstrapWait(options.lookup(), bootstrap -> Optional.empty());
    assertThat(wait.begin(options.source(), used::add)).isFalse();
    assertThat(wait.missing()).get().asString().contains("b.json does not exist");
    return wait;
  }

  @Conformance("DI-02")
  @Test
  void aProcessThatLeavesMissesNothing() throws Exception {
    BootstrapWait wait = start("1ms");
    var looks = new CompletableFuture<Void>();

    wait.await(
        used::add,
        () -> { // asked after the time is over
          if (!looks.complete(null)) {
            left.complete(null);
          }
          return true;
        },
        left);

    assertThat(used).isEmpty();
    assertThat(looks).isCompleted();
  }

  @Conformance("DI-02")
  @Test
  void aFileThatComesWhileTheProcessLeavesIsUsed() throws Exception {
    BootstrapWait wait = start("1ms");

    wait.await(
        used::add,
        () -> {
          write();
          return true;
        },
        left);

    assertThat(used).hasSize(1);
    assertThat(wait.missing()).isEmpty();
  }

  @Conformance("DI-02")
  @Test
  void whoStaysMissesTheFileWhenTheTimeIsOver() throws Exception {
    BootstrapWait wait = start("1ms");

    assertThatThrownBy(() -> wait.await(used::add, () -> false, left))
        .isInstanceOf(InvalidInput.class)
        .hasMessageContaining("b.json does not exist")
        .hasMessageEndingWith("; waited 0.001 s for it (--bootstrap-timeout)");
  }

  /** A writer that does not rename: the next look finds the rest. */
  @Conformance("DI-02")
  @Test
  void aFileThatCannotBeUsedIsLookedAtOnceMore() throws Exception {
    BootstrapWait wait = start("1h");
    write();

    wait.await(
        source -> {
          used.add(source);
          if (used.size() == 1) {
            throw new InvalidInput(List.of("half a certificate"));
          }
        },
        () -> false,
        left);

    assertThat(used).hasSize(2);
    assertThatThrownBy(
            () ->
                wait.await(
                    source -> {
                      throw new InvalidInput(List.of("no certificate"));
                    },
                    () -> false,
                    left))
        .hasMessage("no certificate");
  }

  @Conformance("DI-02")
  @Test
  void aFileThatStaysWrongIsWrong() throws Exception {
    write("{");

    assertThatThrownBy(() -> start("1h"))
        .isInstanceOf(InvalidInput.class)
        .isNotInstanceOf(AbsentFile.class)
        .hasMessageContaining("is not JSON");
  }

  @Conformance("DI-02")
  @Test
  void aFileThatIsStillBeingWrittenIsReadOnceMore() throws Exception {
    BootstrapWait wait = start("1h");
    write("{");

    wait.await(
        used::add,
        () -> { // asked only after the second attempt, which fails too
          write(BOOTSTRAP);
          return true;
        },
        left);

    assertThat(used).hasSize(1);
  }

  private void write() {
    write(BOOTSTRAP);
  }

  private void write(String text) {
    try {
      Files.writeString(folder.resolve("b.json"), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

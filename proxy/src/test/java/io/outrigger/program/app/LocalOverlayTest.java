package io.outrigger.program.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource;
import io.outrigger.observe.events.EventLog;
import io.outrigger.program.options.BootstrapSource;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.decode.ResourceDecoder;
import io.outrigger.xds.local.OverlayFiles;
import io.outrigger.xds.local.ResourceFiles;
import io.outrigger.xds.stream.AdsClients;
import io.outrigger.xds.stream.AdsObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalOverlayTest {
  private static final Duration SETTLED = Duration.ofSeconds(30);

  private final FakeControlLoop loop = new FakeControlLoop();
  private final EventLog events = new EventLog(loop);
  private final LocalOverlay overlay;

  LocalOverlayTest(@TempDir Path folder) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("o.yaml"),
            "overlay: [{name: r, clusters: [pay], patch: {lb_policy: RING_HASH}}]");
    var controlPlanes = new ControlPlanes();
    controlPlanes.set(
        new ControlPlanes.Known(
            new ConfigSource(
                BootstrapSource.NONE, Optional.empty(), List.of(), List.of(), ResourceFiles.NONE),
            new AdsClients(
                loop,
                Runnable::run,
                RandomSource.SYSTEM,
                BootstrapSource.NONE,
                "1",
                ResourceDecoder::decode,
                server -> {
                  throw new AssertionError(server);
                },
                AdsObserver.NONE),
            Optional.empty()));
    overlay =
        new LocalOverlay(
            loop,
            task -> {},
            List.of(file),
            OverlayFiles.read(List.of(file)),
            controlPlanes,
            events);
  }

  private List<String> told() {
    List<String> told = new ArrayList<>();
    loop.inside(() -> events.after(0, 100).events().forEach(event -> told.add(event.message())));
    return told;
  }

  @Test
  void aRuleThatMatchesNothingIsToldOnceResourcesHadTimeToCome() {
    loop.inside(overlay::start);
    loop.advance(SETTLED.minusMillis(1));
    assertThat(told()).noneMatch(text -> text.contains("matches nothing"));

    loop.advance(Duration.ofMillis(1));

    assertThat(told()).anyMatch(text -> text.contains("o.yaml:1 matches nothing so far"));
  }

  @Test
  void nothingIsToldAfterTheEnd() {
    loop.inside(overlay::start);
    loop.inside(overlay::close);

    loop.advance(SETTLED);

    assertThat(told()).noneMatch(text -> text.contains("matches nothing"));
  }
}

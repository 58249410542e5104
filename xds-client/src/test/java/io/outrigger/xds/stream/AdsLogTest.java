package io.outrigger.xds.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.ResourceType;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a control plane that errs all the time does to the log. */
final class AdsLogTest {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final AdsLog adsLog = new AdsLog(loop, "cp");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(AdsLog.class);

  @BeforeEach
  void listen() {
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
    logger.setLevel(null);
  }

  private List<String> told() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private void refuse(int version, String reason) {
    loop.inside(() -> adsLog.onNack("cp", response(version), reason));
  }

  private static AdsObserver.Response response(int version) {
    return new AdsObserver.Response(
        ResourceType.CLUSTER, Integer.toString(version), 0, 0, List.of(), 0);
  }

  @Test
  void theSameRefusalIsOneLineAMinuteAndACount() {
    for (int i = 0; i < 5000; i++) {
      refuse(i, "cluster \"a\": no");
    }
    refuse(5000, "cluster \"b\": no");
    assertThat(told())
        .satisfiesExactly(
            first -> assertThat(first).contains("cp", "version 0", "cluster \"a\": no"),
            other -> assertThat(other).contains("version 5000", "cluster \"b\": no"));

    loop.advance(RefusalLines.PERIOD);
    assertThat(told()).hasSize(3);
    assertThat(told().get(2)).contains("cp: refused 4999 more responses within a minute");

    refuse(5001, "cluster \"a\": no");
    assertThat(told()).hasSize(4);
    assertThat(told().get(3)).contains("version 5001");
  }

  @Test
  void reasonsThatDifferEachTimeAreTenLinesAMinute() {
    for (int i = 0; i < 100; i++) {
      refuse(i, "cluster \"" + i + "\": no");
    }
    loop.advance(RefusalLines.PERIOD);

    assertThat(told()).hasSize(RefusalLines.MAX_LINES + 1);
    assertThat(told().get(RefusalLines.MAX_LINES)).contains("refused 90 more");
  }

  @Test
  void aMistakeThatIsMadeAgainAfterItWasMendedIsToldAgainButNotForEver() {
    for (int i = 0; i < 100; i++) {
      int version = 2 * i;
      refuse(version, "cluster \"a\": no");
      loop.inside(() -> adsLog.onAck("cp", response(version + 1)));
    }

    assertThat(told()).hasSize(RefusalLines.MAX_LINES);
    assertThat(told().get(1)).contains("version 2", "cluster \"a\": no");
  }

  @Test
  void aRefusalNowAndThenIsAlwaysTold() {
    for (int i = 0; i < 5; i++) {
      refuse(i, "cluster \"a\": no");
      loop.advance(RefusalLines.PERIOD.plus(Duration.ofSeconds(1)));
    }

    assertThat(told()).hasSize(5).allMatch(line -> line.contains("refused") && line.contains("no"));
  }

  @Test
  void deletedResourcesAreNamedTenAtMost() {
    List<String> ten = IntStream.range(0, 10).mapToObj(i -> "c" + i).toList();
    List<String> eleven = IntStream.range(0, 11).mapToObj(i -> "c" + i).toList();

    loop.inside(() -> adsLog.onDeleted("cp", ResourceType.CLUSTER, List.of("c"), true));
    loop.inside(() -> adsLog.onDeleted("cp", ResourceType.CLUSTER, ten, false));
    loop.inside(() -> adsLog.onDeleted("cp", ResourceType.CLUSTER, eleven, false));

    assertThat(told())
        .containsExactly(
            "control plane cp: deleted 1 cds resource, kept in use: [c]",
            "control plane cp: deleted 10 cds resources, out of use: " + ten,
            "control plane cp: deleted 11 cds resources, out of use: " + ten + "…");
  }

  @Test
  void refusalsBelongToTheControlLoop() {
    assertThatThrownBy(() -> adsLog.onNack("cp", response(1), "no"))
        .isInstanceOf(IllegalStateException.class);
  }
}

package io.outrigger.xds.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.outrigger.base.LogLines;
import io.outrigger.base.RpcStatus;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.ResourceType;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** What a control plane that errs all the time does to the log. */
final class AdsLogTest {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final AdsLog adsLog = new AdsLog(loop, "control plane cp", AdsObserver.NONE);
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
  void theSameRefusalIsOneLineAMinute() {
    for (int i = 0; i < 5000; i++) {
      refuse(i, "cluster \"a\": no");
    }
    refuse(5000, "cluster \"b\": no");
    assertThat(told())
        .satisfiesExactly(
            first -> assertThat(first).contains("cp", "version 0", "cluster \"a\": no"),
            other -> assertThat(other).contains("version 5000", "cluster \"b\": no"));

    loop.advance(LogLines.PERIOD);
    refuse(5001, "cluster \"a\": no");
    assertThat(told()).hasSize(3);
    assertThat(told().get(2)).contains("version 5001");
  }

  @Test
  void aResourceThatIsDeletedAgainAndAgainIsOneLineAMinute() {
    for (int i = 0; i < 100; i++) {
      int version = i;
      loop.inside(() -> adsLog.onAck("cp", response(version)));
      loop.inside(() -> adsLog.onDeleted("cp", ResourceType.CLUSTER, List.of("c"), true));
    }

    assertThat(told()).singleElement().asString().contains("deleted 1 cds resource").contains("c");
  }

  @Test
  void reasonsThatDifferEachTimeAreTenLinesAMinute() {
    for (int i = 0; i < 100; i++) {
      refuse(i, "cluster \"" + i + "\": no");
    }
    loop.advance(LogLines.PERIOD);
    refuse(100, "cluster \"100\": no");

    assertThat(told()).hasSize(LogLines.MAX_LINES + 1);
    assertThat(adsLog.nacks()).isEqualTo(101);
  }

  @Test
  void aMistakeThatIsMadeAgainAfterItWasMendedIsToldAgainButNotForEver() {
    for (int i = 0; i < 100; i++) {
      int version = 2 * i;
      refuse(version, "cluster \"a\": no");
      loop.inside(() -> adsLog.onAck("cp", response(version + 1)));
    }

    assertThat(told()).hasSize(LogLines.MAX_LINES);
    assertThat(told().get(1)).contains("version 2", "cluster \"a\": no");
  }

  @Test
  void aRefusalNowAndThenIsAlwaysTold() {
    for (int i = 0; i < 5; i++) {
      refuse(i, "cluster \"a\": no");
      loop.advance(LogLines.PERIOD.plus(Duration.ofSeconds(1)));
    }

    assertThat(told()).hasSize(5).allMatch(line -> line.contains("refused") && line.contains("no"));
  }

  /** Resources that were taken out of a file are reported in this way. */
  @Test
  void anErrorOfAResourceIsToldOnceAMinute() {
    var gone = RpcStatus.unavailable("gone from a.yaml");
    for (int i = 0; i < 5; i++) {
      int version = i;
      loop.inside(() -> adsLog.onAck("cp", response(version)));
      loop.inside(() -> adsLog.onResourceErrors("cp", ResourceType.CLUSTER, List.of("c"), gone));
    }

    assertThat(told())
        .containsExactly("control plane cp: error for cluster \"c\": gone from a.yaml");
  }

  @Test
  void errorsOfResourcesTakeNoLinesFromRefusals() {
    for (int i = 0; i < 100; i++) {
      var gone = RpcStatus.unavailable("cluster \"" + i + "\": gone");
      loop.inside(() -> adsLog.onResourceErrors("cp", ResourceType.CLUSTER, List.of("c"), gone));
    }
    refuse(1, "cluster \"a\": no");

    assertThat(told()).hasSize(LogLines.MAX_LINES + 1);
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
            "control plane cp: deleted 1 cds resource, kept in use by targets: c",
            "control plane cp: deleted 10 cds resources, out of use: " + String.join(", ", ten),
            "control plane cp: deleted 11 cds resources, out of use: "
                + String.join(", ", ten)
                + " and 1 more");
  }

  static Stream<Method> events() {
    return Stream.of(AdsObserver.class.getDeclaredMethods())
        .filter(Method::isDefault)
        // state events come from StateKeeper, not through AdsLog
        .filter(event -> !event.getName().equals("onStale"))
        .filter(event -> !event.getName().equals("onStateProblem"));
  }

  @ParameterizedTest
  @MethodSource("events")
  void eachEventIsPassedOn(Method event) {
    List<String> heard = new ArrayList<>();
    var next =
        (AdsObserver)
            Proxy.newProxyInstance(
                AdsObserver.class.getClassLoader(),
                new Class<?>[] {AdsObserver.class},
                (proxy, method, arguments) -> heard.add(method.getName() + " " + arguments[0]));
    Map<Class<?>, Object> values =
        Map.of(
            String.class,
            "cp",
            boolean.class,
            true,
            ResourceType.class,
            ResourceType.CLUSTER,
            RpcStatus.class,
            RpcStatus.OK,
            List.class,
            List.of("c"),
            AdsObserver.Response.class,
            response(1));
    Object[] arguments = Stream.of(event.getParameterTypes()).map(values::get).toArray();
    var logging = new AdsLog(loop, "control plane cp", next);

    loop.inside(() -> invoke(event, logging, arguments));

    assertThat(heard).containsExactly(event.getName() + " cp");
  }

  private static void invoke(Method event, AdsObserver on, Object[] arguments) {
    try {
      event.invoke(on, arguments);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(event.getName(), e);
    }
  }

  @Test
  void refusalsBelongToTheControlLoop() {
    assertThatThrownBy(() -> adsLog.onNack("cp", response(1), "no"))
        .isInstanceOf(IllegalStateException.class);
  }
}

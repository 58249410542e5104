package io.outrigger.dataplane.filter;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.github.xds.data.orca.v3.OrcaLoadReport;
import io.netty.util.AsciiString;
import io.outrigger.base.RandomSource;
import io.outrigger.config.route.FilterConfig.Abort;
import io.outrigger.config.route.FilterConfig.Delay;
import io.outrigger.config.route.FilterConfig.Fault;
import io.outrigger.config.route.Fraction;
import io.outrigger.dataplane.orca.OrcaReports;
import io.outrigger.dataplane.route.GrpcTimeout;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that arbitrary bytes in header values are accepted or ignored, without an exception. */
class FieldBytesRandomTest {
  private static final int RUNS = 5000;
  private static final Fraction ALWAYS = new Fraction(100, 100);
  private static final Fault FAULT =
      new Fault(
          Optional.of(new Delay(Optional.empty(), ALWAYS)),
          Optional.of(new Abort(Optional.empty(), Optional.empty(), ALWAYS)),
          Optional.empty());

  static Stream<Case> readers() {
    byte[] report =
        OrcaLoadReport.newBuilder()
            .setCpuUtilization(0.5)
            .setRpsFractional(Double.NaN)
            .putUtilization("a", 1)
            .putNamedMetrics("b", -1)
            .build()
            .toByteArray();
    return Stream.of(
        of("grpc-timeout", bytes -> GrpcTimeout.parse(text(bytes)), "1S", "99999999H", "100m"),
        of(
            "session",
            bytes -> SessionFilter.Value.decode(text(bytes)),
            "MTI3LjAuMC4xOjgwO2M=",
            "WzoxXTo4MCwxMjcuMC4wLjE6ODA7Yw=="),
        of(
            "faults that a request asks for",
            bytes -> {
              String text = text(bytes);
              var request =
                  new Headers(
                      Stream.of(
                              FaultFilter.DELAY,
                              FaultFilter.DELAY_PERCENTAGE,
                              FaultFilter.ABORT_GRPC,
                              FaultFilter.ABORT_HTTP,
                              FaultFilter.ABORT_PERCENTAGE)
                          .flatMap(name -> Stream.of(name, text))
                          .toArray(String[]::new));
              FaultFilter.delayNanos(FAULT, request, RandomSource.SYSTEM);
              FaultFilter.abort(FAULT, request, RandomSource.SYSTEM);
            },
            "100",
            "7,14",
            "9999999999"),
        new Case(
            "load report",
            Void.class,
            bytes -> OrcaReports.ofMessage(bytes),
            Shape.BYTES,
            List.of(report)),
        of(
            "trailer with a load report",
            bytes -> OrcaReports.ofTrailer(new AsciiString(bytes)),
            Base64.getEncoder().encodeToString(report)));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, ISO_8859_1);
  }

  private static Case of(String name, ForeignBytes.Reader reader, String... samples) {
    return Case.ofText(name, Void.class, reader, Shape.BYTES, samples);
  }

  @ParameterizedTest
  @MethodSource("readers")
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyBytes(Case reader) {
    ForeignBytes.check(reader, RUNS);
  }
}

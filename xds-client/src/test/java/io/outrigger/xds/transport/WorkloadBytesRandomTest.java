package io.outrigger.xds.transport;

import io.grpc.StatusRuntimeException;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import io.outrigger.testing.TestAuthority;
import io.outrigger.xds.testing.WorkloadAgent;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers of a Workload API: any bytes are read, or refused as declared. */
class WorkloadBytesRandomTest {
  private static final String ID = "spiffe://mesh/a";
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final int RUNS = 3000;

  static Stream<Case> readers() {
    return Stream.of(
        new Case(
            "answer of a Workload API",
            StatusRuntimeException.class,
            bytes -> new GrpcWorkloadApi.Responses().parse(new ByteArrayInputStream(bytes)),
            Shape.BYTES,
            List.of(
                WorkloadAgent.response(
                    ID, AUTHORITY.issue("uri:" + ID), AUTHORITY, Map.of("spiffe://o", AUTHORITY)),
                new byte[0])));
  }

  @ParameterizedTest
  @MethodSource("readers")
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyBytes(Case reader) {
    ForeignBytes.check(reader, RUNS);
  }
}

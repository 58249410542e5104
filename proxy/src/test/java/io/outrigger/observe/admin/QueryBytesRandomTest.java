package io.outrigger.observe.admin;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Questions to the admin server: any query is a request, or a refusal with its reason. */
class QueryBytesRandomTest {
  private static final int RUNS = 10_000;

  static Stream<Case> readers() {
    return Stream.of(
        Case.ofText(
            "/explain",
            IllegalArgumentException.class,
            bytes -> explain(new String(bytes, ISO_8859_1)),
            Shape.BYTES,
            "/explain?forward=a&path=/pkg.Svc/Method&header=x:1&header=%3aauthority:b",
            "/explain?path=/a&method=GET&header=grpc-timeout:1S",
            "/explain?path=/%C3%A9&header=content-type:application/grpc"));
  }

  private static void explain(String uri) {
    var query = new QueryStringDecoder(uri);
    ExplainRequest.read(
        new AdminRequest(query.path(), query.parameters(), EmptyHttpHeaders.INSTANCE));
  }

  @ParameterizedTest
  @MethodSource("readers")
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyBytes(Case reader) {
    ForeignBytes.check(reader, RUNS);
  }
}

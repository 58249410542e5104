package io.outrigger.observe.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdminRequestTest {
  @ParameterizedTest(name = "accept-encoding: {0}")
  @CsvSource({
    "gzip, true",
    "GZIP, true",
    "x-gzip, true",
    "*, true",
    "'br, gzip;q=0.5', true",
    "gzip ; q=0.001, true",
    "gzip;q=1.0, true",
    "gzip;q=0, false",
    "gzip;q=0.000, false",
    "'deflate, br', false",
    "gzipped, false",
    "'', false",
  })
  void gzipIsForClientsThatAcceptIt(String encodings, boolean accepts) {
    var headers = new DefaultHttpHeaders().add("accept-encoding", encodings);

    assertThat(request(headers).acceptsGzip()).isEqualTo(accepts);
  }

  private static AdminRequest request(HttpHeaders headers) {
    return new AdminRequest(AdminRequest.Method.GET, "/metrics", Map.of(), headers);
  }
}

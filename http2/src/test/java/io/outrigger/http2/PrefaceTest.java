package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.outrigger.http2.Preface.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class PrefaceTest {
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  static Stream<Arguments> beginnings() {
    return Stream.of(
        Arguments.of("", Verdict.INCOMPLETE),
        Arguments.of("PRI * HTTP", Verdict.INCOMPLETE),
        Arguments.of(PREFACE, Verdict.HTTP2),
        Arguments.of(PREFACE + "frames", Verdict.HTTP2),
        Arguments.of("PRI * HTTP/2.0\r\n\r\nXX", Verdict.UNKNOWN),
        Arguments.of("PRI * HTTP/1.1\r\n", Verdict.HTTP1),
        Arguments.of("GET / HTTP/1.1", Verdict.INCOMPLETE),
        Arguments.of("GET / HTTP/1.1\r\nhost: a\r\n", Verdict.HTTP1),
        Arguments.of("AZ / HTTP/1.1\n", Verdict.HTTP1),
        Arguments.of("VERSION-CONTROL / HTTP/1.1\n", Verdict.HTTP1),
        Arguments.of("GET /a  HTTP/ HTTP/1.0\n", Verdict.HTTP1),
        Arguments.of("POST /x HTTP/3\r\n", Verdict.UNKNOWN),
        Arguments.of("EHLO mail.example\r\n", Verdict.UNKNOWN),
        Arguments.of("GET\n", Verdict.UNKNOWN),
        Arguments.of("get / HTTP/1.1\r\n", Verdict.UNKNOWN),
        Arguments.of(" / HTTP/1.1\r\n", Verdict.UNKNOWN),
        Arguments.of("A".repeat(20), Verdict.INCOMPLETE),
        Arguments.of("A".repeat(21), Verdict.UNKNOWN),
        Arguments.of("GET /" + "a".repeat(8186), Verdict.INCOMPLETE),
        Arguments.of("GET /" + "a".repeat(8187), Verdict.UNKNOWN),
        Arguments.of("\u0016", Verdict.INCOMPLETE),
        Arguments.of("\u0016\u0003\u0001", Verdict.TLS),
        Arguments.of("\u0016\u0002", Verdict.UNKNOWN),
        Arguments.of("\u0000", Verdict.UNKNOWN));
  }

  @ParameterizedTest
  @MethodSource("beginnings")
  void itSaysWhatAClientSpeaks(String bytes, Verdict verdict) {
    ByteBuf whole = Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1);
    assertThat(new Preface().read(whole)).isEqualTo(verdict);

    var byteByByte = new Preface();
    Verdict last = Verdict.INCOMPLETE;
    for (int i = 0; i < bytes.length() && last == Verdict.INCOMPLETE; i++) {
      last = byteByByte.read(Unpooled.wrappedBuffer(new byte[] {(byte) bytes.charAt(i)}));
    }
    assertThat(last).isEqualTo(verdict);
  }

  @ParameterizedTest
  @MethodSource("beginnings")
  void whatFollowsThePrefaceIsLeft(String bytes, Verdict verdict) {
    ByteBuf whole = Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1);
    new Preface().read(whole);
    String left = whole.toString(StandardCharsets.ISO_8859_1);
    assertThat(left).isEqualTo(verdict == Verdict.HTTP2 ? bytes.substring(PREFACE.length()) : "");
  }
}

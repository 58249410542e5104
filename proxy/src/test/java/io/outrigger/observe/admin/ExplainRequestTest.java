package io.outrigger.observe.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.outrigger.config.route.WireText;
import io.outrigger.dataplane.forward.RequestHead;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExplainRequestTest {
  @Test
  void textBeyondAsciiIsWhatItsBytesWouldBeOnTheWire() {
    RequestHead preview = read("/größe/値", "x-size: größe");

    assertThat(preview.path()).isEqualTo(WireText.of("/größe/値"));
    assertThat(preview.header("x-size")).isEqualTo(WireText.of("größe"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a b", "/a\u007f", "/a\n", "a", ""})
  void aPathThatARequestCannotCarryIsRefused(String path) {
    assertThatThrownBy(() -> read(path)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x: a\u0000b", "x: a\nb", "x y: a", "größe: a", ": a", ":authority: a b"})
  void aHeaderThatARequestCannotCarryIsRefused(String header) {
    assertThatThrownBy(() -> read("/a", header)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {":authority:orders", ":authority: orders", ":authority:  orders   "})
  void spacesAroundAValueAreNotPartOfIt(String header) {
    assertThat(read("/a/b", header).authority().toString()).isEqualTo("orders");
  }

  /** A search for the spaces at the end that begins anew at each of them takes minutes. */
  @Test
  @Timeout(10)
  void aValueOfSpacesTakesNoLongerThanAnother() {
    String spaces = " ".repeat(60_000);

    assertThat(read("/a/b", "x-a:" + spaces + "b" + spaces + "c").path()).isEqualTo("/a/b");
    assertThat(read("/a/b", "x-a:" + spaces).path()).isEqualTo("/a/b");
  }

  private static RequestHead read(String path, String... headers) {
    return ExplainRequest.read(
        new AdminRequest(
            "/explain",
            Map.of("path", List.of(path), "header", List.of(headers)),
            EmptyHttpHeaders.INSTANCE));
  }
}

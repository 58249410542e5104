package io.outrigger.proxy.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalReplyTest {
  @Test
  @Conformance("A88-50")
  void messagesArePercentEncoded() {
    assertThat(LocalReply.encode("100% of ü\n")).isEqualTo("100%25 of %C3%BC%0A");
  }

  @ParameterizedTest
  @ValueSource(strings = {" (xDS node ID: n-1)", "; xDS node ID: n-1"})
  @Conformance("A88-50")
  void whatIsTooLongIsCutAndKeepsTheNode(String note) {
    String cut = LocalReply.encode("ü".repeat(5000) + note);

    assertThat(cut).hasSizeLessThanOrEqualTo(LocalReply.MAX_MESSAGE).hasSizeGreaterThan(4000);
    assertThat(cut).contains("xDS node ID: n-1").matches("(%C3%BC)+(%C3)?\\.\\.\\. .*");
  }

  @Test
  void aNodeThatFillsTheMessageIsNotKept() {
    assertThat(LocalReply.encode("x".repeat(5000) + "; xDS node ID: " + "n".repeat(5000)))
        .hasSizeLessThanOrEqualTo(LocalReply.MAX_MESSAGE);
  }
}

package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

  @Test
  void whatJustFitsIsNotCut() {
    String longest = "~".repeat(LocalReply.MAX_MESSAGE);

    assertThat(LocalReply.encode(longest)).isEqualTo(longest);
    assertThat(LocalReply.encode(longest + "~"))
        .isEqualTo("~".repeat(LocalReply.MAX_MESSAGE - 4) + "... ");
  }

  @Test
  void anEscapeThatJustFitsIsKept() {
    assertThat(LocalReply.encode("\u00fc".repeat(5000))).isEqualTo("%C3%BC".repeat(682) + "... ");
  }

  @Test
  void aNodeOfHalfTheMessageIsKeptAndALongerOneIsNot() {
    String half = "xDS node ID: " + "n".repeat(LocalReply.MAX_MESSAGE / 2 - 13);
    String text = "x".repeat(5000) + "; ";

    assertThat(LocalReply.encode(text + half))
        .isEqualTo("x".repeat(LocalReply.MAX_MESSAGE / 2 - 4) + "... " + half);
    assertThat(LocalReply.encode(text + half + "n"))
        .isEqualTo("x".repeat(LocalReply.MAX_MESSAGE - 4) + "... ");
  }

  @Test
  void aMessageThatBeginsWithItsNodeIsCutToo() {
    String node = "xDS node ID: ";

    assertThat(LocalReply.encode(node + "n".repeat(5000)))
        .isEqualTo(node + "n".repeat(LocalReply.MAX_MESSAGE - 17) + "... ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          lost       | LEAF | n-1 | lost; LEAF
          lost       | LEAF | ""  | lost; LEAF
          lost       | ""   | n-1 | lost; xDS node ID: n-1
          lost       | ""   | ""  | lost
          lost, LEAF | LEAF | n-1 | lost, LEAF
          """)
  void theNoteOfTheClusterStandsBeforeTheNode(
      String message, String note, String node, String expected) {
    RpcStatus status = RpcStatus.unavailable(message);

    RpcStatus noted = LocalReply.noted(status, LocalReason.UPSTREAM_RESET, note, node);

    assertThat(noted).isEqualTo(RpcStatus.unavailable(expected));
  }
}

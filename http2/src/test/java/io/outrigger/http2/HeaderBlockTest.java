package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The size limits of a header block in several frames. */
final class HeaderBlockTest {
  /** If lists may have 128 KiB, blocks may have 512 KiB. */
  private final HeaderBlock block = new HeaderBlock(128 << 10, 3);

  private static final int TOLERATED = 512 << 10;

  @AfterEach
  void release() {
    block.release();
  }

  @Test
  void aBlockMayHaveJustAsManyBytesAsAreTolerated() throws Exception {
    open("a".repeat(4));
    append("b".repeat(TOLERATED - 4));

    assertThat(whole()).isEqualTo("a".repeat(4) + "b".repeat(TOLERATED - 4));
  }

  @Test
  void aByteMoreCostsTheConnection() throws Exception {
    open("a".repeat(4));
    append("b".repeat(TOLERATED - 4));

    assertRefused("c");
  }

  @Test
  void aBlockMayHaveJustAsManyFramesAsAreAllowed() throws Exception {
    open("a");
    append("b");
    append("c");
    append("d");

    assertThat(whole()).isEqualTo("abcd");
  }

  /** Empty frames add no bytes but cause work. */
  @Test
  void aFrameMoreCostsTheConnectionThoughItIsEmpty() throws Exception {
    open("a");
    append("");
    append("");
    append("");

    assertRefused("");
  }

  @Test
  void framesAreCountedAnewForEachBlock() throws Exception {
    for (int i = 0; i < 3; i++) {
      open("a");
      append("b");
      append("c");
      assertThat(whole()).isEqualTo("abc");
    }
  }

  @Test
  void whatTheFragmentsTakeIsToldUntilTheBlockIsWhole() throws Exception {
    assertThat(block.isOpen()).isFalse();
    assertThat(block.heldBytes()).isZero();

    open("a".repeat(10));
    assertThat(block.isOpen()).isTrue();
    assertThat(block.heldBytes()).as("with room for more").isEqualTo(2 * 10 + 64);
    append("b".repeat(20));
    assertThat(block.heldBytes()).isEqualTo(2 * 10 + 64);

    assertThat(whole()).hasSize(30);
    assertThat(block.isOpen()).isFalse();
    assertThat(block.heldBytes()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"1, true", "3, false"})
  void theFirstFrameTellsTheStreamAndWhetherItEnds(int id, boolean end) {
    ByteBuf bytes = Unpooled.copiedBuffer("a", StandardCharsets.US_ASCII);
    block.open(id, end, bytes, UnpooledByteBufAllocator.DEFAULT);
    bytes.release();

    assertThat(block.streamId()).isEqualTo(id);
    assertThat(block.endStream()).isEqualTo(end);
  }

  private void open(String fragment) {
    ByteBuf bytes = Unpooled.copiedBuffer(fragment, StandardCharsets.US_ASCII);
    block.open(1, false, bytes, UnpooledByteBufAllocator.DEFAULT);
    bytes.release();
  }

  private void append(String fragment) throws ConnectionFault {
    ByteBuf bytes = Unpooled.copiedBuffer(fragment, StandardCharsets.US_ASCII);
    try {
      block.append(bytes);
    } finally {
      bytes.release();
    }
  }

  private void assertRefused(String fragment) {
    assertThatThrownBy(() -> append(fragment))
        .isInstanceOf(ConnectionFault.class)
        .hasMessage("header block has too many frames or bytes");
  }

  private String whole() {
    ByteBuf whole = block.close();
    try {
      return whole.toString(StandardCharsets.US_ASCII);
    } finally {
      whole.release();
    }
  }
}

package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import org.junit.jupiter.api.Test;

/** Entries that a peer adds to the table are kept as section 4 of RFC 7541 demands, and counted. */
final class DecoderTableTest {
  private static final int NEWEST = StaticTable.SIZE + 1;

  private final DecoderTable table = new DecoderTable();

  private static HeaderField field(String name, int valueBytes) {
    return HeaderField.of(
        HeaderName.of(new AsciiString(name)), new AsciiString("v".repeat(valueBytes)));
  }

  @Test
  void aFieldAsLargeAsTheTableIsKeptAndALargerOneEmptiesIt() {
    HeaderField largest = field("n", DecoderTable.MAX_BYTES - 33);
    table.add(field("n", 1));
    table.add(largest);
    assertThat(table.get(NEWEST)).isSameAs(largest);
    assertThat(table.get(NEWEST + 1)).isNull();
    assertThat(table.bytes()).isEqualTo(4096);

    table.add(field("n", DecoderTable.MAX_BYTES - 32));
    assertThat(table.get(NEWEST)).isNull();
    assertThat(table.bytes()).isZero();
  }

  @Test
  void aTableThatShrinksToWhatItHoldsKeepsAll() {
    table.add(field("n", 7));
    table.add(field("n", 7));

    assertThat(table.resize(80)).isTrue();
    assertThat(table.get(NEWEST + 1)).isNotNull();
    assertThat(table.resize(79)).isTrue();
    assertThat(table.get(NEWEST + 1)).isNull();
    assertThat(table.get(NEWEST)).isNotNull();
  }
}

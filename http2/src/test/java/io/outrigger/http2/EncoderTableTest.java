package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries of an encoder's table are found at their index, and their heap size is counted. */
final class EncoderTableTest {
  private static final int FIELD_BYTES = 32 + 5 + 5;

  private static HeaderField field(int number) {
    String text = "%05d".formatted(number);
    return HeaderField.of(HeaderName.of(new AsciiString(text)), new AsciiString(text));
  }

  /**
   * Numbering restarts after 2^31-1 entries; the cases include tables that grow at the same time,
   * with the 9th or 17th entry.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 7, 8, 9, 10, 15, 16, 17, 18, 40, 90})
  void entriesAreFoundAtTheirIndexesWhenNumbersRunOut(int left) {
    int most = 20;
    var table = new EncoderTable(most * FIELD_BYTES, Integer.MAX_VALUE - left);

    for (int i = 0; i < 100; i++) {
      table.add(field(i));
      for (int age = 0; age < Math.min(i + 1, most); age++) {
        assertThat(table.indexOf(field(i - age))).isEqualTo(StaticTable.SIZE + 1 + age);
        assertThat(table.indexOf(field(i - age).name())).isEqualTo(StaticTable.SIZE + 1 + age);
      }
      assertThat(table.indexOf(field(i - most))).isZero();
      assertThat(table.indexOf(field(i - most).name())).isZero();
    }
    assertThat(table.bytes()).isEqualTo(most * FIELD_BYTES);
  }
}

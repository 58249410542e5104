package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import org.junit.jupiter.api.Test;

/** Entries are kept as section 4 of RFC 7541 demands, counted, and found at their index. */
final class DynamicTableTest {
  private static final int NEWEST = StaticTable.SIZE + 1;

  private final DynamicTable table = new DynamicTable();

  private static HeaderField field(String name, int valueBytes) {
    return HeaderField.of(
        HeaderName.of(new AsciiString(name)), new AsciiString("v".repeat(valueBytes)));
  }

  @Test
  void aFieldAsLargeAsTheTableIsKeptAndALargerOneEmptiesIt() {
    HeaderField largest = field("n", DynamicTable.MAX_BYTES - 33);
    table.add(field("n", 1));
    table.add(largest);
    assertThat(table.get(NEWEST)).isSameAs(largest);
    assertThat(table.get(NEWEST + 1)).isNull();
    assertThat(table.bytes()).isEqualTo(4096);

    table.add(field("n", DynamicTable.MAX_BYTES - 32));
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

  @Test
  void entriesAreFoundAtTheirIndexes() {
    int most = 20;
    int fieldBytes = field("n00", 3).size();
    assertThat(table.resize(most * fieldBytes)).isTrue();

    for (int i = 0; i < 100; i++) {
      table.add(numbered(i));
      for (int age = 0; age < Math.min(i + 1, most); age++) {
        assertThat(table.indexOf(numbered(i - age))).isEqualTo(NEWEST + age);
        assertThat(table.indexOf(numbered(i - age).name())).isEqualTo(NEWEST + age);
        assertThat(table.get(NEWEST + age)).isNotNull();
      }
      assertThat(table.indexOf(numbered(i - most))).isZero();
      assertThat(table.indexOf(numbered(i - most).name())).isZero();
    }
    assertThat(table.bytes()).isEqualTo(most * fieldBytes);
  }

  @Test
  void theNewestOfEqualEntriesIsFound() {
    table.add(numbered(1));
    table.add(numbered(2));
    table.add(numbered(1));

    assertThat(table.indexOf(numbered(1))).isEqualTo(NEWEST);
    assertThat(table.indexOf(numbered(2))).isEqualTo(NEWEST + 1);
  }

  private static HeaderField numbered(int number) {
    return field("n%02d".formatted(number), 3);
  }
}

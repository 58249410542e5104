package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lookup of names in the table of RFC 7541 appendix A. */
final class StaticTableTest {
  @ParameterizedTest
  @CsvSource({
    ":authority, 1",
    ":method, 2",
    ":path, 4",
    ":scheme, 6",
    ":status, 8",
    "accept-charset, 15",
    "content-type, 31",
    "www-authenticate, 61",
    "grpc-status, 0",
    "'', 0",
  })
  void aNameHasTheIndexOfItsFirstEntry(String name, int index) {
    assertThat(StaticTable.firstIndexOf(name)).isEqualTo(index);
  }

  @Test
  void everyNameIsFound() {
    for (int index = 1; index <= StaticTable.SIZE; index++) {
      String name = StaticTable.name(index);
      assertThat(StaticTable.name(StaticTable.firstIndexOf(name))).isEqualTo(name);
    }
  }
}

package io.outrigger.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values of the reference implementation. */
class Xxh64Test {
  @ParameterizedTest(name = "[{0}]")
  @CsvSource({
    "'', ef46db3751d8e999",
    "a, d24ec4f1a98c6e5b",
    "abc, 44bc2cf5ad770999",
    "10.0.0.1:80_0, 75041381e7371a08",
    "0123456789abcdef0123456789abcdef, 642a94958e71e6c5",
    "0123456789abcdef0123456789abcdefXYZ12345678, fd0311e92a0651d5",
  })
  void itIsTheReferenceFunction(String text, String hash) {
    assertThat(Long.toHexString(Xxh64.hash(text))).isEqualTo(hash);
  }

  @Test
  void bytesAreUnsigned() {
    byte[] bytes = new byte[300];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }

    assertThat(Long.toHexString(Xxh64.hash(bytes, 101))).isEqualTo("e99038495f85381e");
  }

  @ParameterizedTest(name = "[{0}]")
  @CsvSource({
    "'', 2654435761, ac75fda2929b17ef",
    "'', 0, ef46db3751d8e999",
    "a, 0, d24ec4f1a98c6e5b",
    "10.0.0.1:80, 1, a456919bcbffaa92",
    "10.0.0.1:80, -1, 3b9ad94959a1fdcc",
    "0123456789abcdef0123456789abcdefXYZ12345678, 2654435761, bde5a5ddeb07ee72",
  })
  void aSeedGivesAnotherFunction(String text, long seed, String hash) {
    assertThat(Long.toHexString(Xxh64.hash(text, seed))).isEqualTo(hash);
  }

  @Test
  void aNumberIsItsEightBytes() {
    long number = 0xFEDC_BA98_7654_3210L;
    byte[] bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(number).array();

    assertThat(Xxh64.hash(number)).isEqualTo(Xxh64.hash(bytes));
  }
}

package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 7541 section 5.2: the ends of codes, and the padding after the last code. */
final class HuffmanTest {
  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private static int decode(byte[] code, byte[] out) {
    return Huffman.decode(code, 0, code.length, out);
  }

  private static String text(byte[] out, int length) {
    return length < 0 ? "wrong" : new String(out, 0, length, StandardCharsets.ISO_8859_1);
  }

  /** The shortest codes have five bits. */
  @ParameterizedTest
  @CsvSource({"0, 0", "1, 1", "4, 6", "5, 8", "1000, 1600", "1000000000, 1600000000"})
  void thereIsRoomForAsManyBytesAsCodeCanStandFor(int code, int most) {
    assertThat(Huffman.maxDecoded(code)).isEqualTo(most);
  }

  @Test
  void codeOfTheShortestCodesOnlyFillsItsRoom() {
    byte[] zeros = new byte[1_000]; // '0' has the code 00000
    byte[] out = new byte[Huffman.maxDecoded(zeros.length)];

    assertThat(decode(zeros, out)).isEqualTo(out.length);
    assertThat(out).containsOnly('0');
  }

  /** The smallest code of a length, followed by zeros; the code of '0' is five zeros. */
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "fe00000000, !000000", // 10 bits
        "ff400000000000, '000000000", // 11
        "ffa00000, #0000", // 12
        "ffc000000000, ?0000000", // 13, of the byte 0
        "fff0000000000000, ^0000000000", // 14
      })
  void theFirstCodeOfALengthIsKnownByItself(String code, String text) {
    byte[] out = new byte[100];
    int length = decode(bytes(code), out);

    assertThat(text(out, length).replace('\0', '?')).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"'', ''", "1f, a", "f8, &", "07, 0", "fe3f, !"})
  void whatIsLeftOfTheLastByteIsOnes(String code, String text) {
    byte[] out = new byte[100];
    int length = decode(bytes(code), out);

    assertThat(text(out, length)).isEqualTo(text);
  }

  /**
   * Padding of eight bits or more, padding that is not all ones, the end-of-string symbol itself,
   * and an incomplete code.
   */
  @ParameterizedTest
  @ValueSource(strings = {"ff", "f8ff", "1fff", "ffffffff", "18", "1e", "fe", "fe00", "fffffffc"})
  void paddingThatIsNoneIsAnError(String code) {
    assertThat(decode(bytes(code), new byte[100])).isEqualTo(-1);
  }
}

package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples of RFC 7541 appendix C, block by block. */
final class HpackVectorsTest {
  /** "Dynamic table size update to 256", which the examples of responses assume. */
  private static final String TABLE_OF_256 = "3fe101";

  private final HpackDecoder decoder = new HpackDecoder(8192);

  @ParameterizedTest(name = "C.1: {0} with a prefix of {1} bits")
  @CsvSource({"10, 5, 0a", "1337, 5, 1f9a0a", "42, 8, 2a"})
  void integers(int value, int prefixBits, String expected) {
    var out = new HpackOutput();

    out.integer(0, prefixBits, value);

    assertThat(HexFormat.of().formatHex(out.bytes(), 0, out.length())).isEqualTo(expected);
  }

  @ParameterizedTest(name = "C.2: {1}")
  @CsvSource({
    "400a637573746f6d2d6b65790d637573746f6d2d686561646572, custom-key=custom-header, 55",
    "040c2f73616d706c652f70617468, :path=/sample/path, 0",
    "100870617373776f726406736563726574, password=secret, 0",
    "82, :method=GET, 0",
  })
  void representations(String block, String field, int tableBytes) throws Exception {
    assertThat(decode(block)).isEqualTo(field);
    assertThat(decoder.table.bytes()).isEqualTo(tableBytes);
  }

  @Test
  void requestsWithoutHuffmanCode() throws Exception { // C.3
    assertThat(decode("828684410f7777772e6578616d706c652e636f6d"))
        .isEqualTo(":method=GET, :scheme=http, :path=/, :authority=www.example.com");
    assertThat(decoder.table.bytes()).isEqualTo(57);
    assertThat(decode("828684be58086e6f2d6361636865"))
        .isEqualTo(
            ":method=GET, :scheme=http, :path=/, :authority=www.example.com,"
                + " cache-control=no-cache");
    assertThat(decoder.table.bytes()).isEqualTo(110);
    assertThat(decode("828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565"))
        .isEqualTo(
            ":method=GET, :scheme=https, :path=/index.html, :authority=www.example.com,"
                + " custom-key=custom-value");
    assertThat(decoder.table.bytes()).isEqualTo(164);
  }

  @Test
  void requestsInHuffmanCode() throws Exception { // C.4
    assertThat(decode("828684418cf1e3c2e5f23a6ba0ab90f4ff"))
        .isEqualTo(":method=GET, :scheme=http, :path=/, :authority=www.example.com");
    assertThat(decode("828684be5886a8eb10649cbf"))
        .isEqualTo(
            ":method=GET, :scheme=http, :path=/, :authority=www.example.com,"
                + " cache-control=no-cache");
    assertThat(decode("828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf"))
        .isEqualTo(
            ":method=GET, :scheme=https, :path=/index.html, :authority=www.example.com,"
                + " custom-key=custom-value");
    assertThat(decoder.table.bytes()).isEqualTo(164);
  }

  @Test
  void responsesWithoutHuffmanCodeAndWithEviction() throws Exception { // C.5
    assertResponses(
        TABLE_OF_256
            + "4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a3231"
            + "20474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d",
        "4803333037c1c0bf",
        "88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738"
            + "666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d"
            + "333630303b2076657273696f6e3d31");
  }

  @Test
  void responsesInHuffmanCodeAndWithEviction() throws Exception { // C.6
    assertResponses(
        TABLE_OF_256
            + "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad17"
            + "1863c78f0b97c8e9ae82ae43d3",
        "4883640effc1c0bf",
        "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7"
            + "b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007");
  }

  private void assertResponses(String first, String second, String third) throws Exception {
    String date = "date=Mon, 21 Oct 2013 20:13:21 GMT";
    String location = "location=https://www.example.com";
    assertThat(decode(first))
        .isEqualTo(":status=302, cache-control=private, " + date + ", " + location);
    assertThat(decoder.table.bytes()).isEqualTo(222);
    assertThat(decode(second))
        .isEqualTo(":status=307, cache-control=private, " + date + ", " + location);
    assertThat(decoder.table.bytes()).isEqualTo(222);
    assertThat(decode(third))
        .isEqualTo(
            ":status=200, cache-control=private, date=Mon, 21 Oct 2013 20:13:22 GMT, "
                + location
                + ", content-encoding=gzip,"
                + " set-cookie=foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1");
    assertThat(decoder.table.bytes()).isEqualTo(215);
  }

  private String decode(String hex) throws Exception {
    return String.valueOf(decoder.decode(Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex))));
  }
}

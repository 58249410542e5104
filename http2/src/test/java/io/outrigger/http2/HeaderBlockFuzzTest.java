package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.HexFormat;
import java.util.List;

/**
 * Random blocks of one connection, one after another: our decoder returns the same fields as
 * Netty's.
 */
final class HeaderBlockFuzzTest {
  private static final int MAX_LIST_BYTES = 600;
  private static final int MAX_BLOCK = 200;

  @FuzzTest
  void anyBlocks(FuzzedDataProvider data) {
    var ours = new HpackDecoder(MAX_LIST_BYTES);
    var netty = new NettyHpack(MAX_LIST_BYTES);
    List<String> told = List.of();
    while (data.remainingBytes() > 0 && !told.equals(List.of(NettyHpack.REFUSED))) {
      byte[] block = data.consumeBytes(data.consumeInt(0, MAX_BLOCK));
      told = HpackDifferentialTest.decode(ours, block);
      List<String> nettys = netty.decode(block);
      if (!told.equals(nettys) && NettyHpack.mayHaveLongInteger(block)) {
        return; // the difference that HpackDifferentialTest.integers explains
      }
      assertThat(told).as("block %s", HexFormat.of().formatHex(block)).isEqualTo(nettys);
    }
  }
}

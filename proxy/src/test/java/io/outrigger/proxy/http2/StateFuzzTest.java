package io.outrigger.proxy.http2;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Scripts, and any bytes, from either side as Netty understands them: {@link StateOracle}. */
final class StateFuzzTest {
  static Stream<byte[]> ofAnApp() {
    return FrameFuzzTest.ofAnApp();
  }

  static Stream<byte[]> ofABackend() {
    return FrameFuzzTest.ofABackend();
  }

  @FuzzTest
  void scripts(FuzzedDataProvider draws) {
    ScriptDraw.Source source = bound -> draws.consumeInt(0, bound - 1);

    StateOracle.compare("input", ScriptDraw.draw(source, draws.consumeBoolean()));
  }

  @MethodSource("ofAnApp")
  @FuzzTest
  void bytesOfAnApp(byte[] bytes) {
    StateOracle.compare("input", Script.ofBytes(true, bytes));
  }

  @MethodSource("ofABackend")
  @FuzzTest
  void bytesOfABackend(byte[] bytes) {
    StateOracle.compare("input", Script.ofBytes(false, bytes));
  }
}

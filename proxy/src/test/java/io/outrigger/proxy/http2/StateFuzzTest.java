package io.outrigger.proxy.http2;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;

/** Scripts of frames from either side as Netty understands them: {@link StateOracle}. */
final class StateFuzzTest {
  @FuzzTest
  void scripts(FuzzedDataProvider draws) {
    boolean server = draws.consumeBoolean();
    ScriptDraw.Source source = bound -> draws.consumeInt(0, bound - 1);

    StateOracle.compare("input", ScriptDraw.draw(source, server));
  }
}

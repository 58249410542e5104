package io.outrigger.http2;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Random scripts and bytes from a client or a server, compared with Netty. */
final class StateFuzzTest {
  @FuzzTest
  void scripts(FuzzedDataProvider draws) {
    boolean server = draws.consumeBoolean();
    ScriptDraw.Source source = bound -> draws.consumeInt(0, bound - 1);

    StateOracle.compare("input", ScriptDraw.draw(source, server));
  }

  static Stream<byte[]> drawnScripts() {
    return IntStream.range(0, 20)
        .mapToObj(Random::new)
        .map(random -> PeerBytes.of(ScriptDraw.draw(random::nextInt, random.nextBoolean())));
  }

  @MethodSource("drawnScripts")
  @FuzzTest
  void bytes(byte[] bytes) {
    Script script = PeerBytes.script(bytes);

    StateOracle.compare("input", script);
    ReadCuts.check("input", script, new Random(Arrays.hashCode(bytes)));
  }
}

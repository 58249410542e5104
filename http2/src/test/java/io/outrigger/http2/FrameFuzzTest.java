package io.outrigger.http2;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.outrigger.http2.ConnectionSettings.Windows;
import io.outrigger.http2.testing.Frames;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random frames from a client or a server, as in {@link RandomPeerTest} and {@link
 * FrameOracleTest}.
 */
final class FrameFuzzTest {
  private static final ConnectionSettings SETTINGS =
      ConnectionSettings.DEFAULT
          .withWindows(new Windows(5000, 5000, 70_000))
          .withMaxHeaderListBytes(1000);

  static Stream<byte[]> ofAnApp() {
    return Stream.of(
        new byte[0],
        Frames.join(Frames.request(1), Frames.data(1, Frames.END_STREAM, new byte[20])),
        Frames.join(Frames.wholeRequest(1), Frames.reset(1, Http2Error.CANCEL)),
        Frames.join(Frames.settingsAck(), Frames.ping(1), Frames.windowUpdate(0, 1000)),
        Frames.join(
            Frames.headers(1, 0, Frames.REQUEST),
            Frames.frame(Frames.CONTINUATION, Frames.END_HEADERS, 1, Frames.block("a", "b"))),
        Frames.join(Frames.settings(4, 10), Frames.goAway(1, Http2Error.NO_ERROR)));
  }

  static Stream<byte[]> ofABackend() {
    return Stream.of(
        new byte[0],
        Frames.join(
            Frames.headers(1, Frames.END_HEADERS, ":status", "200"),
            Frames.data(1, 0, new byte[20]),
            Frames.headers(1, Frames.END_HEADERS | Frames.END_STREAM, "grpc-status", "0")),
        Frames.join(Frames.settings(3, 1), Frames.goAway(1, Http2Error.NO_ERROR)),
        Frames.reset(1, Http2Error.REFUSED_STREAM));
  }

  @MethodSource("ofAnApp")
  @FuzzTest
  void anApp(byte[] bytes) {
    RandomPeerTest.run(
        Arrays.hashCode(bytes),
        RawPeer.silentClient(SETTINGS),
        List.of(Frames.PREFACE, Frames.settings(), bytes));
  }

  @MethodSource("ofABackend")
  @FuzzTest
  void aBackend(byte[] bytes) {
    RandomPeerTest.run(
        Arrays.hashCode(bytes), RawPeer.silentServer(), List.of(Frames.settings(), bytes));
  }

  @MethodSource("ofAnApp")
  @FuzzTest
  void asNettyReadsThem(byte[] bytes) {
    byte[] whole = Frames.join(Frames.settings(), bytes, new byte[FrameOracleTest.ZEROS]);

    FrameOracleTest.compare(
        HexFormat.of().formatHex(bytes), whole, new Random(Arrays.hashCode(bytes)));
  }
}

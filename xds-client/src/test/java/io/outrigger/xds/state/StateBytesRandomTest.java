package io.outrigger.xds.state;

import io.outrigger.base.Xxh64;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.state.StateFolder.KeptResource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Files of a state whose checksums are right: any content is read, or is an IOException. */
class StateBytesRandomTest {
  private static final int RUNS = 3000;

  static Stream<Case> readers() throws IOException {
    byte[] index =
        StateFormat.write(
            new StateFormat.Index(
                new StateOrigin("node", "cp:1", "print"),
                Map.of("", Instant.EPOCH),
                List.of("a", "b")));
    byte[] part =
        StateFormat.write(
            List.of(
                new KeptResource(
                    new KeptResource.Key("", "cds", "pay"),
                    "cp:1",
                    "7",
                    Instant.EPOCH,
                    new RawResource("type.googleapis.com/a.B", new byte[9]))));
    return Stream.of(
        new Case(
            "index",
            IOException.class,
            bytes -> StateFormat.readIndex(withChecksum(bytes)),
            Shape.BYTES,
            List.of(Arrays.copyOf(index, index.length - Long.BYTES))),
        new Case(
            "part",
            IOException.class,
            bytes -> StateFormat.readPart(StateFormat.nameOf(bytes), bytes),
            Shape.BYTES,
            List.of(part)));
  }

  private static byte[] withChecksum(byte[] content) {
    return ByteBuffer.allocate(content.length + Long.BYTES)
        .put(content)
        .putLong(Xxh64.hash(content))
        .array();
  }

  @ParameterizedTest
  @Conformance("ST-03")
  @MethodSource("readers")
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyBytes(Case reader) {
    ForeignBytes.check(reader, RUNS);
  }
}

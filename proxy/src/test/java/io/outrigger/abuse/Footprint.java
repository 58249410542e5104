package io.outrigger.abuse;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.PeerErrors.EndedCount;
import io.outrigger.http2.PeerErrors.Side;
import io.outrigger.http2.testing.AnsweringBackend;
import io.outrigger.program.testing.mesh.MiniMesh;
import io.outrigger.testing.Await;

/** What a sidecar holds while nothing goes on, to be found again after an attack. */
record Footprint(int connections, long bytes) {
  /** Chunks that the allocator may keep for later; what leaks is found by the leak detector. */
  private static final long TOLERANCE = 32L << 20;

  /** What an attack may make it hold meanwhile: a window of a connection, twice, and chunks. */
  private static final long WHILE_ATTACKED = 64L << 20;

  static Footprint of(MiniMesh mesh) {
    return new Footprint(mesh.connections(), bufferBytes());
  }

  /** Bytes of memory that buffers of this process take, those of the attackers included. */
  static long bufferBytes() {
    var metric = ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric();
    return metric.usedDirectMemory() + metric.usedHeapMemory();
  }

  /** The number of connections with peers of a side that were ended for a flood. */
  static long floods(MiniMesh mesh, Side side) {
    return mesh.loops.peerErrors().ended().stream()
        .filter(each -> each.side() == side && each.error() == Http2Error.ENHANCE_YOUR_CALM)
        .mapToLong(EndedCount::count)
        .sum();
  }

  /** Fails when an attack that goes on fills the buffers. */
  void checkWhileAttacked() {
    long now = bufferBytes();
    if (now > bytes + WHILE_ATTACKED) {
      throw new AssertionError("buffers grew from %d bytes to %d".formatted(bytes, now));
    }
  }

  /** Waits until {@code mesh} has no connections and no calls. */
  static void awaitIdle(MiniMesh mesh) {
    Await.until("all has ended", () -> mesh.connections() == 0 && mesh.calls() == 0);
  }

  /** Waits until calls have ended on both sides, and connections and memory are as they were. */
  void awaitAgain(MiniMesh mesh, AnsweringBackend backend) {
    Await.until(
        "all is as before",
        () ->
            "%d connections, %d calls, %d at the backend, %d bytes, before: %s"
                .formatted(
                    mesh.connections(), mesh.calls(), backend.running(), bufferBytes(), this),
        () ->
            mesh.connections() == connections
                && mesh.calls() == 0
                && backend.running() == 0
                && bufferBytes() <= bytes + TOLERANCE);
  }
}

package io.outrigger.abuse;

import io.outrigger.abuse.AttackedSidecar.Forward;
import io.outrigger.http2.testing.Frames;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Header blocks that are large, small and many, or never end. */
final class HeaderAttacks {
  private static final int END = Frames.END_STREAM;
  private static final byte[] REQUEST = Frames.block(ServingBackend.request(ServingBackend.SMALL));
  private static final byte[] WAITING =
      Frames.block(
          ServingBackend.request(ServingBackend.SMALL, "x-outrigger-wait-for-ready", "true"));
  private static final byte[] RESPONSE =
      Frames.block(":status", "200", "content-type", "application/grpc");

  private static final int LONG_NAME = 200_000;

  /** With the rest of its block just within four times the header list that is allowed. */
  private static final int HUFFMAN_NAME = 255_000;

  /** Within a header list that is allowed. */
  private static final int LEGAL_NAME = 60_000;

  /** Twice what fills the heap of a small container. */
  private static final int BLOCKS = 1_000;

  private static final Duration TIME_FOR_BLOCKS = Duration.ofSeconds(10);

  private HeaderAttacks() {}

  /** Each name comes twice, since what comes again may be kept. */
  static void longNames(AttackRun run) {
    sendAll(run, i -> HeaderBlocks.longName(i / 2, LONG_NAME));
  }

  /** Calls that wait, each with a path of its own. */
  static void longPaths(AttackRun run) {
    Peer app = run.app(Forward.DOWN);
    run.lastsFor(TIME_FOR_BLOCKS);
    run.pump(
        app,
        400,
        i ->
            HeaderBlocks.frames(
                app.nextId(),
                END,
                Frames.block(
                    ServingBackend.request(
                        "/a/" + i + "p".repeat(LEGAL_NAME),
                        "x-outrigger-wait-for-ready",
                        "true"))));
    run.pause(Duration.ofSeconds(3));
  }

  static void longHuffmanNames(AttackRun run) {
    sendAll(run, i -> HeaderBlocks.longHuffmanName(i / 2, HUFFMAN_NAME));
  }

  static void legalLongNames(AttackRun run) {
    sendAll(run, i -> HeaderBlocks.longName(i / 2, LEGAL_NAME));
  }

  private interface Field {
    byte[] encoded(int number);
  }

  private static void sendAll(AttackRun run, Field field) {
    int sent = 0;
    run.lastsFor(TIME_FOR_BLOCKS);
    while (sent < BLOCKS && run.goesOn()) {
      int from = sent;
      Peer app = run.app(Forward.SERVED);
      sent +=
          run.pump(
              app,
              BLOCKS - sent,
              i ->
                  HeaderBlocks.frames(
                      app.nextId(), END, Frames.join(REQUEST, field.encoded(from + i))));
    }
    run.pause(Duration.ofMillis(200));
  }

  static void longNamesInResponses(AttackRun run) {
    var count = new AtomicInteger();
    run.backend(
        (self, frame) -> {
          if (frame.type() == Frames.HEADERS) {
            byte[] field = HeaderBlocks.longHuffmanName(count.getAndIncrement() / 2, HUFFMAN_NAME);
            self.send(HeaderBlocks.frames(frame.streamId(), END, Frames.join(RESPONSE, field)));
          }
        });
    run.lastsFor(TIME_FOR_BLOCKS);
    Callers.callAll(run, Forward.HOSTILE, BLOCKS);
  }

  /** Connections with the first part of a frame, of which the rest does not come. */
  static void halfFrames(AttackRun run) {
    byte[] whole = Frames.frame(Frames.HEADERS, 0, 1, new byte[16_384]);
    byte[] half = Arrays.copyOf(whole, 12_000);
    List<Peer> apps = run.apps(Forward.SERVED, run.scaled(6_000, 9_000));
    run.eachSends(apps, i -> half);
    run.waitOut();
  }

  static void openHeaderBlocks(AttackRun run) {
    byte[] open =
        HeaderBlocks.openFrames(
            1, END, Frames.join(REQUEST, Frames.block("x-a", "v".repeat(250_000))));
    List<Peer> apps = run.apps(Forward.SERVED, 460);
    run.eachSends(apps, i -> open);
    run.waitOut();
  }

  /** Small on the wire, large as objects, and waiting as long as the backend is down. */
  static void queuedTinyFields(AttackRun run) {
    byte[] block = Frames.join(WAITING, HeaderBlocks.tinyFields(1_880));
    for (int connection = 0; connection < 8 && run.goesOn(); connection++) {
      Peer app = run.app(Forward.DOWN);
      run.pump(app, 900, i -> HeaderBlocks.frames(app.nextId(), END, block));
    }
    run.waitOut();
  }
}

package io.outrigger.abuse;

import io.outrigger.abuse.AttackedSidecar.Forward;
import io.outrigger.base.WaitingClock;
import io.outrigger.http2.testing.Frames;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Streams that stand still or move in a way that costs. */
final class StreamAttacks {
  private static final int END = Frames.END_STREAM;
  private static final String WAIT = "x-outrigger-wait-for-ready";
  private static final int FRAME_BYTES = 16_384;

  /** What may still be held of streams that are over: chunks that are used in part. */
  private static final double LEFT_BYTES = 16 << 20;

  /** What 450 sockets may have in their send buffers together. */
  private static final long MAX_UNSENT_BYTES = 96 << 20;

  private static final Duration SETTLING = Duration.ofMillis(1500);

  private static final String[] OK = {
    ":status", "200", "content-type", "application/grpc", "grpc-status", "0"
  };

  private StreamAttacks() {}

  /** The windows are wide, the socket is not read. */
  static void unreadResponses(AttackRun run) {
    List<Peer> apps = run.apps(Forward.SERVED, 24, Frames.INITIAL_WINDOW_SIZE, Integer.MAX_VALUE);
    apps.forEach(app -> app.reads(false));
    for (int i = 0; i < 64 && run.goesOn(); i++) {
      run.eachSends(
          apps,
          app -> AttackRun.request(apps.get(app).nextId(), END, ServingBackend.BIG + (1 << 20)));
    }
    run.waitOut();
  }

  /** Many of them, each with more than the system would like to keep for it. */
  static void unreadSockets(AttackRun run) {
    List<Peer> apps = run.apps(Forward.SERVED, 450, Frames.INITIAL_WINDOW_SIZE, Integer.MAX_VALUE);
    apps.forEach(app -> app.reads(false));
    run.eachSends(
        apps,
        app -> AttackRun.request(apps.get(app).nextId(), END, ServingBackend.BIG + (4 << 20)));
    run.waitOut();
    long unsent = SendQueues.bytesOf(run.address(Forward.SERVED).getPort());
    if (unsent == 0 || unsent > MAX_UNSENT_BYTES) { // 0: the sockets are not found
      run.complain("%d bytes wait in send buffers".formatted(unsent));
    }
  }

  /**
   * An app reads none of its answers. All calls of another app to the same backend are answered.
   */
  static void unreadBesideOthers(AttackRun run) {
    Peer stopped = run.app(Forward.SERVED, Frames.INITIAL_WINDOW_SIZE, 0);
    run.pump(
        stopped, 45, i -> AttackRun.request(stopped.nextId(), END, ServingBackend.BIG + (5 << 20)));
    run.pause(Duration.ofSeconds(1));
    Peer other = run.app(Forward.SERVED);
    run.lastsFor(Duration.ofSeconds(10));
    for (int call = 1; call <= 20; call++) {
      int answered = call;
      other.send(AttackRun.request(other.nextId(), END, ServingBackend.SMALL));
      if (!run.await(() -> other.ended() == answered)) {
        run.complain("call %d of another app is not answered".formatted(call));
        return;
      }
    }
  }

  /** The same with heads, which no window holds back. */
  static void unreadHeads(AttackRun run) {
    List<Peer> apps = run.apps(Forward.SERVED, 24);
    apps.forEach(app -> app.reads(false));
    for (int i = 0; i < 150 && run.goesOn(); i++) {
      run.eachSends(
          apps,
          app -> AttackRun.request(apps.get(app).nextId(), END, ServingBackend.HEAD + 60_000));
    }
    run.waitOut();
  }

  /** The same with replies that the sidecar makes itself. */
  static void unreadLocalReplies(AttackRun run) {
    List<Peer> apps = run.apps(Forward.DOWN, 24);
    apps.forEach(app -> app.reads(false));
    for (int i = 0; i < 500 && run.goesOn(); i++) {
      run.eachSends(
          apps,
          app -> {
            byte[][] requests = new byte[100][];
            for (int n = 0; n < requests.length; n++) {
              requests[n] = AttackRun.request(apps.get(app).nextId(), END, "/a/b");
            }
            return Frames.join(requests);
          });
    }
    run.waitOut();
  }

  /**
   * A few bytes of a queued request, each in a read buffer of its own; it begins with more than is
   * copied for a second attempt.
   */
  static void tinyDataInLargeReads(AttackRun run) {
    byte[] filler = Frames.repeat(4, Frames.frame(0x42, 0, 0, new byte[FRAME_BYTES]));
    for (int connection = 0; connection < 2 && run.goesOn(); connection++) {
      Peer app = run.app(Forward.DOWN);
      int id = app.nextId();
      app.send(
          AttackRun.request(id, 0, ServingBackend.SMALL, WAIT, "true"),
          Frames.data(id, 0, new byte[5_000]));
      run.pump(app, 1_900, i -> Frames.join(Frames.data(id, 0, (byte) 1), filler));
    }
    run.waitOut();
  }

  /** Full SETTINGS frames, each entry of which moves the window of every open stream. */
  static void windowSettings(AttackRun run) {
    Peer app = run.app(Forward.DOWN);
    run.pump(
        app, 1_000, i -> AttackRun.request(app.nextId(), 0, ServingBackend.SMALL, WAIT, "true"));
    run.pump(app, 260, i -> movingWindows());
    run.waitOut();
  }

  static void windowSettingsOfABackend(AttackRun run) {
    run.backend((self, frame) -> {});
    Peer app = run.app(Forward.HOSTILE);
    run.pump(app, 1_000, i -> AttackRun.request(app.nextId(), 0, ServingBackend.SMALL));
    run.pause(Duration.ofMillis(500));
    for (Peer backend : run.backends()) {
      run.pump(backend, 260, i -> movingWindows());
    }
    run.waitOut();
  }

  /** Frames that pay for the change of a window: one byte of DATA on the first stream. */
  static void paidSettings(AttackRun run) {
    List<Peer> apps = run.apps(Forward.DOWN, run.scaled(4, 16));
    for (Peer app : apps) {
      run.pump(
          app, 900, i -> AttackRun.request(app.nextId(), 0, ServingBackend.SMALL, WAIT, "true"));
    }
    byte[] turn = paidChanges();
    for (int i = 0; i < 2_000 && run.goesOn(); i++) {
      run.eachSends(apps, app -> turn);
    }
    run.waitOut();
  }

  static void paidSettingsOfABackend(AttackRun run) {
    run.backend((self, frame) -> {});
    Peer app = run.app(Forward.HOSTILE);
    run.pump(app, 1_000, i -> AttackRun.request(app.nextId(), 0, ServingBackend.SMALL));
    run.pause(Duration.ofMillis(500));
    byte[] turn = paidChanges();
    run.backends()
        .forEach(backend -> backend.send(Frames.headers(1, Frames.END_HEADERS, ":status", "200")));
    for (int i = 0; i < 2_000 && run.goesOn(); i++) {
      run.eachSends(run.backends(), backend -> turn);
    }
    run.waitOut();
  }

  /** Some 17 KiB: one byte of DATA for eight changes of the window. */
  private static byte[] paidChanges() {
    byte[][] frames = new byte[1_200][];
    for (int i = 0; i < frames.length; i++) {
      frames[i] =
          i % 9 == 0
              ? Frames.data(1, 0, (byte) 1)
              : Frames.settings(Frames.INITIAL_WINDOW_SIZE, 65_535 + i % 2);
    }
    return Frames.join(frames);
  }

  private static byte[] movingWindows() {
    var entries = ByteBuffer.allocate(2_730 * 6);
    for (int i = 0; i < 2_730; i++) {
      entries.putShort((short) Frames.INITIAL_WINDOW_SIZE).putInt(65_535 + i % 2);
    }
    return Frames.frame(Frames.SETTINGS, 0, 0, entries.array());
  }

  /**
   * An app sends more heads than the backend's socket takes while it pauses; calls of another app
   * wait on the same connection, and must not end with it.
   */
  static void headsForAPausingBackend(AttackRun run) {
    Queue<Integer> asked = new ConcurrentLinkedQueue<>();
    run.backend(
        (self, frame) -> {
          if (frame.type() == Frames.HEADERS) {
            asked.add(frame.streamId());
          }
        });
    Peer honest = run.app(Forward.HOSTILE);
    run.pump(honest, 20, i -> AttackRun.request(honest.nextId(), END, ServingBackend.SMALL));
    if (!run.await(() -> asked.size() == 20)) {
      run.complain("20 requests have not reached the backend");
      return;
    }
    List<Peer> backends = run.backends();
    backends.forEach(peer -> peer.reads(false));
    Peer attacker = run.app(Forward.HOSTILE);
    byte[] block =
        Frames.block(ServingBackend.request(ServingBackend.SMALL, "x-head", "h".repeat(60_000)));
    run.lastsFor(Duration.ofSeconds(5));
    run.pump(attacker, 900, i -> HeaderBlocks.frames(attacker.nextId(), END, block));
    run.pause(Duration.ofSeconds(1));
    backends.forEach(peer -> peer.reads(true));
    run.pause(Duration.ofMillis(500));
    if (honest.ended() > 0) {
      run.complain(honest.ended() + " of 20 calls ended, which their backend has not answered");
    }
  }

  /** A reader stops, its backend has finished, its deadline passes: nothing of it may be held. */
  static void stoppedReaders(AttackRun run) {
    Peer app = run.app(Forward.SERVED, Frames.INITIAL_WINDOW_SIZE, 0);
    run.pump(
        app,
        126,
        i ->
            AttackRun.request(
                app.nextId(), END, ServingBackend.BIG + 300_000, "grpc-timeout", "3S"));
    run.lastsFor(Duration.ofSeconds(10));
    run.pause(Duration.ofSeconds(3).plus(SETTLING));
    nothingIsHeld(run, "of 126 streams, %d ms past their deadline".formatted(SETTLING.toMillis()));
  }

  /** A backend answers before it was sent the request, and says nothing more of the stream. */
  static void earlyAnswers(AttackRun run) {
    byte[] part = new byte[FRAME_BYTES];
    byte[] body = Frames.join(Frames.repeat(7, Frames.data(1, 0, part)), Frames.data(1, END, part));
    run.backend(
        (self, frame) -> {
          if (frame.type() == Frames.HEADERS) {
            self.send(Frames.headers(frame.streamId(), Frames.END_HEADERS | END, OK));
          }
        });
    int calls = run.scaled(500, 2_000);
    run.lastsFor(Duration.ofSeconds(20));
    for (int connection = 0; connection < calls && run.goesOn(); connection++) {
      Peer app = run.app(Forward.HOSTILE);
      app.send(Frames.join(AttackRun.request(1, 0, ServingBackend.SMALL), body));
      run.await(() -> app.ended() > 0 || !app.isOpen());
      app.close();
    }
    run.pause(SETTLING);
    nothingIsHeld(run, "of calls that have ended");
  }

  private static void nothingIsHeld(AttackRun run, String whose) {
    double buffers = run.metric("outrigger_memory_held_bytes{kind=\"direct\"}");
    if (buffers > LEFT_BYTES) {
      run.complain("%.0f MiB are held %s".formatted(buffers / (1 << 20), whose));
    }
  }

  /** Streams that fail at once, each connection a thousand, and all connections stay. */
  static void manyStreamsOnce(AttackRun run) {
    for (int connection = 0; connection < 9_900 && run.goesOn(); connection++) {
      Peer app = run.app(Forward.DOWN);
      run.pump(
          app,
          10,
          i -> {
            byte[][] requests = new byte[100][];
            for (int n = 0; n < requests.length; n++) {
              requests[n] = AttackRun.request(app.nextId(), END, "/a/b");
            }
            return Frames.join(requests);
          });
    }
    run.waitOut();
  }

  /** Response bytes are let through one at a time. */
  static void windowsOfOneByte(AttackRun run) {
    List<Peer> apps = run.apps(Forward.SERVED, 20, Frames.INITIAL_WINDOW_SIZE, 1);
    run.eachSends(
        apps,
        app -> {
          byte[][] requests = new byte[50][];
          for (int i = 0; i < requests.length; i++) {
            int id = apps.get(app).nextId();
            requests[i] = AttackRun.request(id, END, ServingBackend.BIG + (1 << 19));
          }
          return Frames.join(requests);
        });
    long began = WaitingClock.nanoTime();
    for (int round = 0; run.goesOn(); round++) {
      int id = 1 + 2 * (round % 50);
      run.eachSends(apps, app -> Frames.windowUpdate(id, 1));
      if (WaitingClock.nanoTime() - began < round * 1_000_000L) {
        run.pause(Duration.ofMillis(5));
      }
    }
  }
}

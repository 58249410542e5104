package io.outrigger.abuse;

import io.outrigger.abuse.AttackedSidecar.Forward;
import io.outrigger.http2.testing.Frames;

/** Apps that make a backend answer. */
final class Callers {
  private static final int OPEN_AT_ONCE = 50;

  private Callers() {}

  /** Calls one after the other, some at a time, until there were {@code count}. */
  static void callAll(AttackRun run, Forward forward, int count) {
    callAll(run, forward, count, ServingBackend.SMALL);
  }

  static void callAll(AttackRun run, Forward forward, int count, String path, String... more) {
    int begun = 0;
    while (begun < count && run.goesOn()) {
      Peer app = run.app(forward, Frames.INITIAL_WINDOW_SIZE, Integer.MAX_VALUE);
      for (int own = 0; begun < count && app.isOpen() && run.goesOn(); own++, begun++) {
        int open = own - OPEN_AT_ONCE;
        if (!run.await(() -> app.ended() > open || !app.isOpen())) {
          return;
        }
        app.send(AttackRun.request(app.nextId(), Frames.END_STREAM, path, more));
      }
    }
  }
}

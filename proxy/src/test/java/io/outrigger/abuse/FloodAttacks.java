package io.outrigger.abuse;

import io.outrigger.abuse.AttackedSidecar.Forward;
import io.outrigger.base.WaitingClock;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.testing.Frames;
import java.time.Duration;
import java.util.List;

/** Frames in numbers: each flood comes again on a new connection when it was ended. */
final class FloodAttacks {
  private static final int END = Frames.END_STREAM;
  private static final int AT_ONCE = 100;

  /** What may pass on one connection: twice the documented limit, and what was under way. */
  private static final int PASSING = 30_000;

  private static final int STEPS = 200_000;

  /** Calls whose timers, if each had left one, would have filled a heap of 64 MiB. */
  private static final int FALLING = 1_000_000;

  /** The largest {@code grpc-timeout} in milliseconds: eight digits. */
  private static final int FARTHEST_MILLIS = 99_999_999;

  private static final Duration QUIET =
      Duration.ofSeconds(Long.getLong("outrigger.abuse.quiet", 32));

  private FloodAttacks() {}

  private interface Step {
    byte[] on(Peer peer);
  }

  private static void flood(AttackRun run, boolean isLimited, Step step) {
    while (run.goesOn()) {
      Peer app = run.app(Forward.SERVED);
      app.send(AttackRun.request(app.nextId(), 0, ServingBackend.SMALL)); // stream 1 stays open
      int passed = floodOne(run, app, step);
      // What comes behind the GOAWAY is read and dropped for a second, so that all may have passed.
      if (isLimited && passed >= STEPS && !run.awaitSoon(() -> app.goAway() != null)) {
        run.complain(passed + " steps passed on one connection");
      }
      app.close();
    }
  }

  private static int floodOne(AttackRun run, Peer peer, Step step) {
    return AT_ONCE
        * run.pump(
            peer,
            STEPS / AT_ONCE,
            i -> {
              byte[][] steps = new byte[AT_ONCE][];
              for (int n = 0; n < AT_ONCE; n++) {
                steps[n] = step.on(peer);
              }
              return Frames.join(steps);
            });
  }

  static void rapidReset(AttackRun run) {
    flood(
        run,
        true,
        app -> {
          int id = app.nextId();
          return Frames.join(
              AttackRun.request(id, END, ServingBackend.SMALL),
              Frames.reset(id, Http2Error.CANCEL));
        });
  }

  static void madeToReset(AttackRun run) {
    flood(
        run,
        true,
        app -> {
          int id = app.nextId();
          return Frames.join(
              AttackRun.request(id, END, ServingBackend.SMALL), Frames.windowUpdate(id, 0));
        });
  }

  static void continuations(AttackRun run) {
    byte[] part = Frames.frame(Frames.CONTINUATION, 0, 3, Frames.block("a", "x".repeat(100)));
    flood(
        run,
        true,
        app -> {
          int id = app.nextId();
          return id == 3
              ? Frames.headers(3, 0, ServingBackend.request(ServingBackend.SMALL))
              : part;
        });
  }

  /** Each request has a header list that is a quarter of its size on the wire. */
  static void cookieCrumbs(AttackRun run) {
    byte[] block =
        Frames.join(
            Frames.block(ServingBackend.request(ServingBackend.SMALL)),
            Frames.repeat(30_000, new byte[] {0x0f, 0x11, 0})); // cookie by its index, no value
    flood(run, false, app -> HeaderBlocks.frames(app.nextId(), END, block));
  }

  static void mixedControlFrames(AttackRun run) {
    byte[][] frames = {
      Frames.ping(1),
      Frames.settings(Frames.INITIAL_WINDOW_SIZE, 70_000),
      Frames.data(1, 0),
      Frames.windowUpdate(0, 1),
      Frames.windowUpdate(1, 1),
      Frames.frame(Frames.PRIORITY, 0, 1, new byte[5]),
      Frames.frame(0x42, 0, 0, new byte[100])
    };
    flood(run, true, app -> frames[app.nextId() / 2 % frames.length]);
  }

  /** Each connection sends DATA of one byte without end on a stream that it made reset. */
  static void dataOnResetStreams(AttackRun run) {
    run.lastsFor(Duration.ofSeconds(20));
    Duration between = Duration.ofMillis(run.scaled(20, 0));
    List<Peer> apps = run.apps(Forward.SERVED, 200);
    run.eachSends(
        apps,
        app ->
            Frames.join(AttackRun.request(1, 0, ServingBackend.SMALL), Frames.windowUpdate(1, 0)));
    byte[] burst = Frames.repeat(AT_ONCE, Frames.data(1, 0, (byte) 1));
    while (run.goesOn() && apps.stream().anyMatch(Peer::isOpen)) {
      run.eachSends(apps, app -> burst);
      run.pause(between);
    }
    long passed = apps.stream().filter(app -> app.goAway() == null).count();
    if (passed > 0) {
      run.complain(passed + " of " + apps.size() + " connections got no GOAWAY");
    }
  }

  static void controlFramesOfABackend(AttackRun run) {
    byte[] burst = Frames.repeat(AT_ONCE, Frames.join(Frames.ping(1), Frames.settings()));
    run.backend(
        (self, frame) -> {
          if ((frame.type() == Frames.HEADERS || frame.isAck()) && self.isWritable()) {
            self.send(burst);
          }
        });
    Callers.callAll(run, Forward.HOSTILE, 2_000, ServingBackend.SMALL, "grpc-timeout", "1S");
    run.waitOut();
  }

  /** Honest work, then silence, then a flood: what was earned before must not pay for it. */
  static void pingsAfterWork(AttackRun run) {
    run.lastsFor(QUIET.plusSeconds(60));
    Peer app = run.app(Forward.SERVED);
    for (int i = 0; i < 30_000 && run.goesOn(); i++) {
      int open = i - 100;
      run.await(() -> app.ended() > open || !app.isOpen());
      app.send(AttackRun.request(app.nextId(), END, ServingBackend.SMALL));
    }
    run.pause(QUIET);
    int passed = floodOne(run, app, peer -> Frames.ping(1));
    run.pause(Duration.ofMillis(500));
    if (app.acknowledgedPings() > PASSING) {
      run.complain(app.acknowledgedPings() + " of " + passed + " PINGs were answered");
    }
  }

  /** Each deadline is sooner than the one before, and each call is answered long before it. */
  static void fallingDeadlines(AttackRun run) {
    run.lastsFor(Duration.ofSeconds(run.scaled(3, 60)));
    Peer app = run.app(Forward.SERVED);
    for (int i = 0; i < FALLING && app.isOpen() && run.goesOn(); i++) {
      int open = i - AT_ONCE;
      run.await(() -> app.ended() > open || !app.isOpen());
      String timeout = (FARTHEST_MILLIS - 3 * i) + "m"; // a tick of the timers is 2.1 ms
      app.send(AttackRun.request(app.nextId(), END, ServingBackend.SMALL, "grpc-timeout", timeout));
    }
  }

  /** Thousands of calls that all have their deadline in the same moment. */
  static void equalDeadlines(AttackRun run) {
    run.backend((self, frame) -> {});
    List<Peer> apps = run.apps(Forward.HOSTILE, 10);
    long due = WaitingClock.nanoTime() + Duration.ofMillis(run.scaled(1500, 5000)).toNanos();
    for (int i = 0; i < 9; i++) {
      run.eachSends(
          apps,
          app -> {
            byte[][] calls = new byte[AT_ONCE][];
            for (int n = 0; n < AT_ONCE; n++) {
              long left = Math.max(1, (due - WaitingClock.nanoTime()) / 1_000_000);
              calls[n] =
                  AttackRun.request(
                      apps.get(app).nextId(),
                      END,
                      ServingBackend.SMALL,
                      "grpc-timeout",
                      left + "m");
            }
            return Frames.join(calls);
          });
    }
    run.waitOut();
  }
}

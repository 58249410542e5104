package io.outrigger.abuse;

import io.outrigger.abuse.AttackedSidecar.Forward;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.testing.Frames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Connections that are many, slow, or hold what they were given. */
final class ConnectionAttacks {
  private static final int END = Frames.END_STREAM;

  /** Just within the default of {@code --max-connections}. */
  private static final int CONNECTIONS = 9_900;

  /** The window of a connection lets some of them through, and the others are open at once. */
  private static final int REPLIES = 1_400;

  private static final int TABLE_ENTRY = 1_000;

  private ConnectionAttacks() {}

  /** Each connection fills the table of its decoder and stays. */
  static void filledTables(AttackRun run) {
    List<Peer> apps = run.apps(Forward.SERVED, CONNECTIONS);
    run.eachSends(
        apps,
        app -> {
          List<byte[]> block = new ArrayList<>();
          block.add(Frames.block(ServingBackend.request(ServingBackend.SMALL)));
          for (int i = 0; i < 3; i++) {
            String value = app + " " + i + "v".repeat(TABLE_ENTRY);
            byte[] field = Frames.block("x-field-" + i, value);
            field[0] = 0x40; // it enters the table
            block.add(field);
          }
          return HeaderBlocks.frames(1, END, Frames.join(block.toArray(byte[][]::new)));
        });
    run.waitOut();
  }

  /**
   * On each connection many replies of the sidecar wait for the connection's window, which others
   * have used up, and are cancelled; what they leave stays with the idle connection.
   */
  static void leftByStreams(AttackRun run) {
    run.lastsFor(Duration.ofSeconds(run.scaled(20, 60)));
    List<byte[]> frames = new ArrayList<>();
    for (int i = 0; i < REPLIES; i++) {
      frames.add(Frames.wholeRequest(1 + 2 * i));
    }
    for (int i = 0; i < REPLIES; i++) {
      frames.add(Frames.reset(1 + 2 * i, Http2Error.CANCEL));
    }
    frames.add(Frames.ping(1));
    byte[] all = Frames.join(frames.toArray(byte[][]::new));
    for (int batch = 0; batch < 600 && run.goesOn(); batch++) {
      List<Peer> apps = run.peers().narrow(run.address(Forward.DOWN), 10);
      run.eachSends(apps, app -> all);
      run.await(() -> apps.stream().allMatch(app -> app.acknowledgedPings() > 0 || !app.isOpen()));
    }
    run.waitOut();
  }

  static void unfinishedPrefaces(AttackRun run) {
    byte[] part = Arrays.copyOf(Frames.PREFACE, 20);
    byte[] line = Frames.ascii("GET /" + "a".repeat(8_000));
    List<Peer> clients = run.peers().silent(run.address(Forward.SERVED), CONNECTIONS);
    run.eachSends(clients, i -> i % 2 == 0 ? part : line);
    run.waitOut();
  }

  /** A byte of a request each now and then, on many connections. */
  static void slowFrames(AttackRun run) {
    Duration between = Duration.ofMillis(Long.getLong("outrigger.abuse.slow", 5_000) / 10);
    List<Peer> apps = run.apps(Forward.SERVED, 2_000);
    byte[] request = AttackRun.request(1, END, ServingBackend.SMALL);
    for (int at = 0; at < request.length && run.goesOn(); at++) {
      byte[] one = {request[at]};
      for (int part = 0; part < 10; part++) {
        int tenth = part;
        List<Peer> some = apps.subList(apps.size() * tenth / 10, apps.size() * (tenth + 1) / 10);
        run.eachSends(some, i -> one);
        run.pause(between);
      }
    }
  }
}

package io.outrigger.abuse;

import io.outrigger.http2.testing.Frames;
import java.util.List;

/** Clients of the admin server that ask and do not read. */
final class AdminAttacks {
  private AdminAttacks() {}

  private static byte[] get(String path) {
    return Frames.ascii("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  }

  static void unreadMetrics(AttackRun run) {
    unread(run, 300, Frames.repeat(100, get("/metrics")));
  }

  static void unreadConfigDump(AttackRun run) {
    unread(run, 10, Frames.repeat(100, get("/config_dump")));
  }

  private static void unread(AttackRun run, int connections, byte[] requests) {
    List<Peer> clients = run.peers().silent(run.admin(), connections);
    clients.forEach(client -> client.reads(false));
    run.eachSends(clients, i -> requests);
    run.waitOut();
  }

  /** A header value of blanks, as a query has them. */
  static void blanksForExplain(AttackRun run) {
    String blanks = "+".repeat(60_000);
    List<Peer> clients = run.peers().silent(run.admin(), 3);
    run.eachSends(
        clients,
        i ->
            get(
                "/explain?"
                    + run.entrance().parameter()
                    + "=served&path=/a.B/C&header=x-a:b"
                    + blanks
                    + "c"));
    run.waitOut();
  }
}

package io.outrigger.observe.access;

import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.config.rbac.Rbac;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;

/**
 * The audit logger {@code StdoutAuditLog} (A59) writes a line of JSON to stdout for each decision
 * that its condition selects.
 */
@AnyThread
public final class StdoutAuditLog implements AutoCloseable {
  private final LogWriter writer;
  private final Clock clock;
  private final LongAdder lost = new LongAdder();

  StdoutAuditLog(LogWriter writer, Clock clock) {
    this.writer = writer;
    this.clock = clock;
  }

  public static StdoutAuditLog started() {
    return new StdoutAuditLog(LogWriter.stdout("audit log"), Clock.systemUTC());
  }

  /**
   * Writes the log lines of a decision without waiting; lines that cannot be queued or written
   * count as lost.
   */
  public void record(String method, PeerIdentity peer, String filter, Rbac.Decision decision) {
    Instant now = clock.instant();
    String principal = peer.spiffeId();
    writer.add(
        lines -> append(lines, now, method, principal, filter, decision),
        method.length() + principal.length(),
        () -> lost.add(decision.auditLines()));
  }

  /** Returns the number of lines that are lost because stdout is slow or cannot be written. */
  public long lost() {
    return lost.sum();
  }

  private static void append(
      StringBuilder lines,
      Instant time,
      String method,
      String principal,
      String filter,
      Rbac.Decision decision) {
    var entry = new JsonObject();
    entry.addProperty("timestamp", time.toString());
    entry.addProperty("rpc_method", AccessLine.shortened(method));
    entry.addProperty("principal", AccessLine.shortened(principal));
    entry.addProperty("policy_name", AccessLine.shortened(filter));
    entry.addProperty("matched_rule", AccessLine.shortened(decision.policy().orElse("")));
    entry.addProperty("authorized", decision.isAllowed());
    var line = new JsonObject();
    line.add("grpc_audit_log", entry);
    for (int i = 0; i < decision.auditLines(); i++) {
      AccessLine.append(lines, line);
    }
  }

  @Override
  public void close() {
    writer.close();
  }
}

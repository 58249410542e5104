package io.outrigger.observe.access;

import io.outrigger.base.AnyThread;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.config.rbac.Rbac;
import java.io.OutputStream;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;

/**
 * The audit logger {@code StdoutAuditLog} (A59): a line of JSON on stdout for each decision that
 * the logger's condition selects.
 */
@AnyThread
public final class StdoutAuditLog implements AutoCloseable {
  private final LogWriter writer;
  private final Clock clock;
  private final LongAdder lost = new LongAdder();

  StdoutAuditLog(OutputStream out, Clock clock, int maxWaiting) {
    writer = new LogWriter("audit log stdout", out, maxWaiting);
    this.clock = clock;
  }

  public static StdoutAuditLog started() {
    var audit = new StdoutAuditLog(new Stdout(), Clock.systemUTC(), AccessLog.MAX_WAITING);
    audit.start();
    return audit;
  }

  void start() {
    writer.start();
  }

  /**
   * Records a decision if its loggers ask for it. Does not wait; lines that cannot be queued are
   * counted as lost.
   *
   * @param method the path of the RPC
   * @param filter the name of the HTTP filter
   */
  public void record(String method, PeerIdentity peer, String filter, Rbac.Decision decision) {
    if (decision.auditLines() == 0) {
      return;
    }
    Instant now = clock.instant();
    if (!writer.add(lines -> append(lines, now, method, peer, filter, decision))) {
      lost.add(decision.auditLines());
    }
  }

  /** Returns the number of lines that were dropped because the reader of stdout is slow. */
  public long lost() {
    return lost.sum();
  }

  private static void append(
      StringBuilder lines,
      Instant time,
      String method,
      PeerIdentity peer,
      String filter,
      Rbac.Decision decision) {
    int start = lines.length();
    lines.append("{\"grpc_audit_log\":{\"timestamp\":\"").append(time).append('"');
    text(lines, "rpc_method", method);
    text(lines, "principal", peer.spiffeId());
    text(lines, "policy_name", filter);
    text(lines, "matched_rule", decision.policy().orElse(""));
    lines.append(",\"authorized\":").append(decision.isAllowed()).append("}}\n");
    String line = lines.substring(start);
    for (int i = 1; i < decision.auditLines(); i++) {
      lines.append(line);
    }
  }

  private static void text(StringBuilder lines, String name, String value) {
    lines.append(",\"").append(name).append("\":");
    AccessLine.quote(lines, value);
  }

  /** Writes the queued lines for at most two seconds. */
  @Override
  public void close() {
    writer.close();
  }
}

package io.outrigger.program.cli;

import io.outrigger.base.DurationText;
import io.outrigger.base.WaitingClock;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.StartFailure;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code outrigger wait}: waits until a sidecar is ready, in a start script or a health check. */
@Command(description = "Waits until a running sidecar is ready; exits with 1 after the timeout.")
final class WaitCommand extends AdminCommand {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

  /** The minimum wait for a reply of /ready, because the error at the timeout reports the reply. */
  private static final Duration MIN_REPLY_TIME = Duration.ofSeconds(1);

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      description = "how long to wait. Default ${DEFAULT-VALUE}",
      defaultValue = "60s")
  private String timeout = "";

  WaitCommand(CommandContext context) {
    super(context);
  }

  @Override
  public Integer call() throws InvalidInput, StartFailure {
    AdminClient client = client();
    Duration limit = InvalidInput.read("--timeout", timeout, DurationText::parse);
    long end = WaitingClock.nanoTime() + limit.toNanos();
    String notReadyReason = notReadyReason(client, limit);
    while (!notReadyReason.isEmpty()) {
      Duration left = Duration.ofNanos(end - WaitingClock.nanoTime());
      if (left.isNegative() || left.isZero()) {
        throw client.failure(
            "not ready after " + timeout + ": " + notReadyReason, new TimeoutException(timeout));
      }
      WaitingClock.sleep(POLL_INTERVAL);
      notReadyReason = notReadyReason(client, left);
    }
    return Failures.OK;
  }

  /** Returns why the sidecar is not ready; empty when the sidecar is ready. */
  private static String notReadyReason(AdminClient client, Duration left) {
    try {
      Duration limit = left.compareTo(MIN_REPLY_TIME) < 0 ? MIN_REPLY_TIME : left;
      AdminClient.Reply reply = client.get("/ready", limit);
      return reply.status() == 200
          ? ""
          : reply.body().isBlank()
              ? "status " + reply.status()
              : reply.body().strip().replace("\n", "; ");
    } catch (StartFailure e) {
      return "no answer; is the sidecar running there?";
    }
  }
}

package io.outrigger.program.cli;

import io.outrigger.program.options.DurationText;
import io.outrigger.program.options.StartFailure;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code outrigger wait}: waits for readiness, for start order and container health checks. */
@Command(
    description = "Waits until a running sidecar is ready; exits with 1 when it is not in time.")
final class WaitCommand implements Callable<Integer> {
  private static final Duration BETWEEN_POLLS = Duration.ofMillis(200);

  @Mixin private final AdminOption admin = new AdminOption();

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      description = "how long to wait. Default ${DEFAULT-VALUE}",
      defaultValue = "60s")
  private String timeout = "";

  private final CommandContext context;

  WaitCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws Exception {
    AdminClient client = admin.client(context.environment());
    Duration limit = FlagValue.read("--timeout", timeout, DurationText::parse);
    AtomicReference<String> obstacle = new AtomicReference<>("no answer yet");
    CompletableFuture<Boolean> ready = new CompletableFuture<>();
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try {
      var unused =
          timer.scheduleWithFixedDelay(
              () -> poll(client, ready, obstacle),
              0,
              BETWEEN_POLLS.toMillis(),
              TimeUnit.MILLISECONDS);
      ready.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      return Failures.OK;
    } catch (TimeoutException e) {
      throw client.failure("not ready after " + timeout + ": " + obstacle.get(), e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      timer.shutdownNow();
    }
  }

  private static void poll(
      AdminClient client, CompletableFuture<Boolean> ready, AtomicReference<String> obstacle) {
    try {
      AdminClient.Reply reply = client.get("/ready");
      obstacle.set(reply.body().isBlank() ? "status " + reply.status() : reply.body().strip());
      if (reply.status() == 200) {
        ready.complete(true);
      }
    } catch (StartFailure e) {
      obstacle.set("no answer; is the sidecar running there?");
    } catch (RuntimeException e) {
      ready.completeExceptionally(e);
    }
  }
}

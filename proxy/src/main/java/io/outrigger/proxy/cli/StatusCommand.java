package io.outrigger.proxy.cli;

import com.google.gson.JsonParseException;
import io.outrigger.proxy.options.StartFailure;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code outrigger status}: a running sidecar's forwards, xDS state, LB tree and events as tables.
 */
@Command(
    description = "Shows the forwards, xDS state, LB tree and latest events of a running sidecar.")
final class StatusCommand implements Callable<Integer> {
  private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";

  @Mixin private final AdminOption admin = new AdminOption();

  @Option(names = "--watch", description = "refreshes each second, until Ctrl-C")
  private boolean watch;

  private final CommandContext context;

  StatusCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws Exception {
    AdminClient client = admin.client(context.environment());
    if (watch) {
      return watch(client);
    }
    report(client).forEach(context.out()::println);
    return Failures.OK;
  }

  private static List<String> report(AdminClient client) throws StartFailure {
    try {
      return StatusReport.render(
          client.body("/forwards"),
          client.body("/xds"),
          client.body("/lb"),
          overlay(client),
          client.body("/events?format=json"));
    } catch (JsonParseException e) {
      throw client.failure("its answer is not that of an Outrigger admin server", e);
    }
  }

  /** Empty where the sidecar is of a version without local policy. */
  private static Optional<String> overlay(AdminClient client) throws StartFailure {
    AdminClient.Reply reply = client.get("/overlay");
    return reply.status() == 200 ? Optional.of(reply.body()) : Optional.empty();
  }

  /** Shows until interrupted; a sidecar that does not answer may come back. */
  private int watch(AdminClient client) throws InterruptedException {
    PrintWriter out = context.out();
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try {
      CompletableFuture<Integer> broken = new CompletableFuture<>();
      var unused =
          timer.scheduleWithFixedDelay(() -> show(client, out, broken), 0, 1, TimeUnit.SECONDS);
      return broken.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      timer.shutdownNow();
    }
  }

  private static void show(AdminClient client, PrintWriter out, CompletableFuture<Integer> broken) {
    try {
      List<String> lines = report(client);
      out.print(CLEAR_SCREEN);
      lines.forEach(out::println);
      out.flush();
    } catch (StartFailure e) {
      out.print(CLEAR_SCREEN);
      out.println(e.getMessage());
      out.flush();
    } catch (RuntimeException e) {
      broken.completeExceptionally(e);
    }
  }
}

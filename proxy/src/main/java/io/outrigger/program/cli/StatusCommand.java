package io.outrigger.program.cli;

import io.outrigger.base.PlainText;
import io.outrigger.base.WaitingClock;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.StartFailure;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code outrigger status}: shows a running sidecar's forwards, xDS state, LB trees and events as
 * tables.
 */
@Command(
    description = "Shows the forwards, xDS state, LB tree and latest events of a running sidecar.")
final class StatusCommand implements Callable<Integer> {
  private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";
  private static final String OTHER_SCREEN = "\u001b[?1049h";
  private static final String FIRST_SCREEN = "\u001b[?1049l";
  private static final Duration REFRESH = Duration.ofSeconds(1);
  private static final String RED = "\u001b[31m";
  private static final String PLAIN = "\u001b[0m";

  @Mixin private final AdminOption admin = new AdminOption();

  @Option(names = "--watch", description = "refreshes each second, until Ctrl-C")
  private boolean watch;

  @Option(
      names = "--forward",
      paramLabel = "NAME",
      description = "shows only this forward; repeatable")
  private List<String> names = new ArrayList<>();

  @Option(names = "--failing", description = "shows only forwards whose calls fail or wait")
  private boolean failing;

  @Option(names = "--json", description = "prints the answers of the admin server, for programs")
  private boolean json;

  private final CommandContext context;

  StatusCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws InvalidInput, StartFailure {
    AdminClient client = admin.client(context.environment());
    if (watch) {
      return watch(client);
    }
    show(client);
    return Failures.OK;
  }

  /** Shows problems first, in red on a terminal. */
  private void show(AdminClient client) throws StartFailure, InvalidInput {
    StatusAnswers answers = answers(client);
    if (json) {
      context.out().println(PlainText.ofJson(answers.json()));
      return;
    }
    StatusReport.Lines lines = client.read(() -> StatusReport.render(answers, Instant.now()));
    boolean isTerminal = isTerminal();
    for (String problem : lines.problems()) {
      context.out().println(isTerminal ? RED + problem + PLAIN : problem);
    }
    if (!lines.problems().isEmpty()) {
      context.out().println();
    }
    lines.tables().forEach(context.out()::println);
  }

  private static boolean isTerminal() {
    return CommandLine.Help.Ansi.AUTO.enabled();
  }

  private StatusAnswers answers(AdminClient client) throws StartFailure, InvalidInput {
    var all =
        new StatusAnswers(
            client.body("/forwards"),
            optional(client, "/listeners"),
            client.body("/xds"),
            client.body("/lb"),
            optional(client, "/overlay"),
            optional(client, "/certs"),
            client.body("/events?format=json"));
    List<String> known = client.read(all::forwardNames);
    for (String name : names) {
      if (!known.contains(name)) {
        throw new InvalidInput(
            List.of(
                "--forward: there is no forward \"%s\"; it is one of %s"
                    .formatted(name, String.join(", ", known))));
      }
    }
    return client.read(() -> all.filtered(names, failing));
  }

  /** Returns the body of the reply; empty when the sidecar's version does not have the endpoint. */
  private static Optional<String> optional(AdminClient client, String path) throws StartFailure {
    AdminClient.Reply reply = client.get(path);
    return reply.status() == 200 ? Optional.of(reply.body()) : Optional.empty();
  }

  /**
   * Refreshes until the reader of the output has gone. The display continues when the sidecar does
   * not reply, since the sidecar may come back.
   */
  private int watch(AdminClient client) throws InvalidInput {
    PrintWriter out = context.out();
    if (isTerminal()) {
      out.print(OTHER_SCREEN); // what the terminal showed before comes back at the end
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    out.print(FIRST_SCREEN);
                    out.flush();
                  },
                  "outrigger-screen"));
    }
    while (!Thread.currentThread().isInterrupted() && !out.checkError()) { // flushes the output
      try {
        if (!json) {
          out.print(CLEAR_SCREEN);
        }
        show(client);
      } catch (StartFailure e) {
        out.println(e.getMessage());
      }
      out.flush();
      WaitingClock.sleep(REFRESH);
    }
    return Failures.OK;
  }
}

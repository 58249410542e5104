package io.outrigger.program.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.base.PlainText;
import io.outrigger.base.WaitingClock;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.StartFailure;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Option;

/** {@code outrigger status}: shows the state of a running sidecar as tables. */
@Command(
    description = "Shows the forwards, xDS state, LB tree and latest events of a running sidecar.")
final class StatusCommand extends AdminCommand {
  private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";
  private static final String ALTERNATE_SCREEN = "\u001b[?1049h";
  private static final String MAIN_SCREEN = "\u001b[?1049l";
  private static final List<String> PARTS =
      List.of("listeners", "xds", "lb", "overlay", "certs", "events");
  private static final Duration REFRESH = Duration.ofSeconds(1);
  private static final String RED = "\u001b[31m";
  private static final String RESET_COLOR = "\u001b[0m";

  @Option(names = "--watch", description = "refreshes each second, until Ctrl-C")
  private boolean watch;

  @Option(
      names = "--forward",
      paramLabel = "NAME",
      description = "shows only this forward; repeatable")
  private List<String> names = new ArrayList<>();

  @Option(names = "--failing", description = "shows only forwards whose calls fail or wait")
  private boolean failing;

  @Option(names = "--json", description = "prints the responses of the admin server as JSON")
  private boolean json;

  StatusCommand(CommandContext context) {
    super(context);
  }

  @Override
  public Integer call() throws InvalidInput, StartFailure {
    AdminClient client = client();
    if (watch) {
      return watch(client);
    }
    show(client);
    return Failures.OK;
  }

  /** Shows the problems, in red if the output has colors, and then the tables. */
  private void show(AdminClient client) throws StartFailure, InvalidInput {
    JsonView replies = replies(client);
    if (json) {
      context.out().println(PlainText.ofJson(replies.json().toString()));
      return;
    }
    StatusReport.Lines lines = client.read(() -> StatusReport.render(replies));
    boolean isColored = Ansi.AUTO.enabled();
    for (String problem : lines.problems()) {
      context.out().println(isColored ? RED + problem + RESET_COLOR : problem);
    }
    if (!lines.problems().isEmpty()) {
      context.out().println();
    }
    lines.tables().forEach(context.out()::println);
  }

  /**
   * Returns a JSON object that maps the name of each admin endpoint to its reply. The replies
   * contain only the forwards that the user has chosen. Admin endpoints that an older sidecar does
   * not have are left out.
   */
  private JsonView replies(AdminClient client) throws StartFailure, InvalidInput {
    String body = client.body("/forwards");
    List<JsonView> forwards = client.read(() -> JsonView.listOf(body));
    requireKnown(forwards.stream().map(JsonView::name).toList());
    Set<String> chosen =
        forwards.stream()
            .filter(each -> names.isEmpty() || names.contains(each.name()))
            .filter(each -> !failing || !each.text("error").isEmpty() || each.number("failing") > 0)
            .map(JsonView::name)
            .collect(Collectors.toSet());
    var all = new JsonObject();
    all.add("forwards", selected(chosen, forwards));
    for (String part : PARTS) {
      AdminClient.Reply reply =
          client.get("/" + part + (part.equals("events") ? "?format=json" : ""));
      if (reply.status() == 200) {
        all.add(part, client.read(() -> JsonParser.parseString(reply.body())));
      }
    }
    var replies = new JsonView(all);
    for (JsonView lb : replies.list("lb")) {
      lb.json().add("forwards", selected(chosen, lb.list("forwards")));
    }
    return replies;
  }

  private void requireKnown(List<String> known) throws InvalidInput {
    for (String name : names) {
      if (!known.contains(name)) {
        throw new InvalidInput(
            "--forward: there is no forward \"%s\"; it is one of %s"
                .formatted(name, String.join(", ", known)));
      }
    }
  }

  private static JsonArray selected(Set<String> names, List<JsonView> objects) {
    var selected = new JsonArray();
    objects.stream()
        .filter(each -> names.contains(each.name()))
        .map(JsonView::json)
        .forEach(selected::add);
    return selected;
  }

  /**
   * Refreshes the display until the output is closed. A missing reply does not end the display,
   * because the sidecar may be restarting.
   */
  @SuppressWarnings("SystemConsoleNull") // jvm.options selects the console that is null in a pipe
  private int watch(AdminClient client) throws InvalidInput {
    PrintWriter out = context.out();
    boolean isTerminal = System.console() != null;
    if (isTerminal) {
      out.print(ALTERNATE_SCREEN); // MAIN_SCREEN restores the present content
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    out.print(MAIN_SCREEN);
                    out.flush();
                  },
                  "outrigger-screen"));
    }
    while (!Thread.currentThread().isInterrupted() && !out.checkError()) { // checkError flushes
      try {
        if (!json) {
          out.print(isTerminal ? CLEAR_SCREEN : "\n");
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

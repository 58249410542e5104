package io.outrigger.program.cli;

import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.StartFailure;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code outrigger explain}: shows how a running sidecar would route a request. */
@Command(
    description =
        "Shows how a running sidecar would route a request and why, without sending the request.")
final class ExplainCommand extends AdminCommand {
  @Option(
      names = "--forward",
      paramLabel = "NAME",
      description = "the forward; optional if there is only one")
  private Optional<String> forward = Optional.empty();

  @Option(
      names = "--serve",
      paramLabel = "NAME",
      description = "explains a request to this served address, not to a forward")
  private Optional<String> serve = Optional.empty();

  @Option(
      names = "--peer",
      paramLabel = "spiffe://…",
      description = "with --serve: the name in the caller's certificate")
  private Optional<String> peer = Optional.empty();

  @Option(
      names = "--source",
      paramLabel = "IP",
      description = "with --serve: the caller's address; default: loopback")
  private Optional<String> source = Optional.empty();

  @Option(names = "--authority", paramLabel = "NAME", description = "the :authority")
  private Optional<String> authority = Optional.empty();

  @Option(
      names = "--path",
      paramLabel = "/PKG.SVC/METHOD",
      required = true,
      description = "the path of the request, which for gRPC is the method")
  private String path = "";

  @Option(names = "--method", paramLabel = "METHOD", description = "default: POST")
  private Optional<String> method = Optional.empty();

  @Option(
      names = "--header",
      paramLabel = "NAME=VALUE",
      description = "a header of the request; repeatable")
  private List<String> headers = new ArrayList<>();

  @Option(names = "--json", description = "prints the response of the admin server as JSON")
  private boolean json;

  ExplainCommand(CommandContext context) {
    super(context);
  }

  @Override
  public Integer call() throws InvalidInput, StartFailure {
    AdminClient client = client();
    AdminClient.Reply reply = client.get("/explain?" + query());
    if (reply.status() == 400 || (reply.status() == 404 && serve.isPresent())) {
      throw new InvalidInput(reply.body().strip());
    }
    client.lines(client.body("/explain", reply), json).forEach(context.out()::println);
    return Failures.OK;
  }

  private String query() throws InvalidInput {
    var query = new StringBuilder("path=").append(encoded(path));
    add(query, "forward", forward);
    add(query, "serve", serve);
    add(query, "peer", peer);
    add(query, "source", source);
    add(query, "authority", authority);
    add(query, "method", method);
    for (String header : headers) {
      int equals = header.indexOf('=');
      if (equals <= 0) {
        throw new InvalidInput("--header: write it as name=value, not \"" + header + "\"");
      }
      String text = header.substring(0, equals) + ":" + header.substring(equals + 1);
      query.append("&header=").append(encoded(text));
    }
    return query.toString();
  }

  private static void add(StringBuilder query, String name, Optional<String> value) {
    value.ifPresent(text -> query.append('&').append(name).append('=').append(encoded(text)));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}

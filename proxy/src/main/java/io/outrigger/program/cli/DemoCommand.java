package io.outrigger.program.cli;

import io.outrigger.base.DurationText;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.ProxyOptions.Logging;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code outrigger demo}. The demo logs only warnings, so that the story stays readable. */
@Command(
    description = {
      "Runs a complete mesh in one process: a control plane, sample backends, the sidecar with its"
          + " admin page, and a light load. Prints each step of a story in plain words."
    })
final class DemoCommand implements Callable<Integer> {
  @Option(
      names = "--duration",
      paramLabel = "DURATION",
      description = "the time after which the demo ends. Default: runs until Ctrl-C")
  private Optional<String> duration = Optional.empty();

  @Option(
      names = "--admin",
      paramLabel = "HOST:PORT",
      description = "the sidecar's admin page. Default ${DEFAULT-VALUE}",
      defaultValue = "127.0.0.1:9901")
  private String admin = "";

  private final CommandContext context;

  DemoCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws Exception {
    Optional<Duration> limit = Optional.empty();
    if (duration.isPresent()) {
      limit = Optional.of(InvalidInput.read("--duration", duration.get(), DurationText::parse));
    }
    ListenAddress.Tcp address = InvalidInput.read("--admin", admin, ListenAddress::parseTcp);
    context.logging().accept(new Logging(Logging.Level.WARN, Logging.Format.TEXT));
    return context.programs().demo().run(limit, address, context.out(), context.signals().get());
  }
}

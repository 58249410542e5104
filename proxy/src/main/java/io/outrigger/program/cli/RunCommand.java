package io.outrigger.program.cli;

import io.outrigger.program.options.Flag;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The picocli command {@code outrigger run}: its flags, help and usage errors. Picocli reads only
 * command lines that {@link RunLine} cannot read.
 */
final class RunCommand implements Callable<Integer> {
  /** Maps the first flag of each group of flags to the heading of the group in the help. */
  static final Map<String, String> HEADINGS =
      Map.of(
          Flag.BOOTSTRAP.option(), "Configuration",
          Flag.FORWARD.option(), "Ports of the app and of the mesh",
          Flag.ADMIN.option(), "Admin, probes",
          Flag.THREADS.option(), "Connections",
          Flag.MAX_CONCURRENT_STREAMS.option(), "Limits",
          Flag.IGNORE_ROUTE_TIMEOUT.option(), "Routing",
          Flag.DRAIN_DELAY.option(), "Shutdown",
          Flag.ACCESS_LOG.option(), "Logs, metrics, traces",
          Flag.CONFIG.option(), "These flags in a file");

  private final CommandContext context;
  private final CommandSpec spec;

  private RunCommand(CommandContext context) {
    this.context = context;
    this.spec = CommandSpec.wrapWithoutInspection(this);
  }

  static CommandSpec spec(CommandContext context) {
    CommandSpec spec = new RunCommand(context).spec;
    spec.usageMessage()
        .customSynopsis(
            "outrigger run [--forward [NAME@]LISTEN=TARGET...] [--serve [NAME@]LISTEN=APP...]"
                + " [--bootstrap FILE | --resources PATH...] [FLAGS]")
        .sortOptions(false)
        .description(
            "Runs the sidecar.",
            "Every flag has an environment variable, OUTRIGGER_ and the name in upper case with _"
                + " for -; commas separate the values of a list. Flags override variables, and"
                + " variables override the file of --config.");
    Arrays.stream(Flag.values()).forEach(flag -> spec.addOption(option(flag)));
    return spec;
  }

  private static OptionSpec option(Flag flag) {
    OptionSpec.Builder option =
        OptionSpec.builder(flag.option())
            .description(flag.help().replace("%", "%%"))
            .type(String.class)
            .arity("1")
            .paramLabel(flag.label());
    if (CompletionCommand.isOfWords(flag.label())) {
      option.completionCandidates(List.of(flag.label().split("[|]")));
    }
    if (flag.arity() == Flag.Arity.SWITCH) {
      option.arity("0..1").fallbackValue("true");
    } else if (flag.arity() == Flag.Arity.MANY) {
      option.type(List.class).auxiliaryTypes(String.class);
    }
    return option.build();
  }

  @Override
  public Integer call() throws Exception {
    return new SidecarRun(context).run(given());
  }

  private Map<Flag, List<String>> given() {
    Map<Flag, List<String>> given = new EnumMap<>(Flag.class);
    for (Flag flag : Flag.values()) {
      Object value = spec.findOption(flag.option()).getValue();
      if (value instanceof List<?> list) {
        given.put(flag, list.stream().map(String::valueOf).toList());
      } else if (value != null) {
        given.put(flag, List.of(value.toString()));
      }
    }
    return given;
  }
}

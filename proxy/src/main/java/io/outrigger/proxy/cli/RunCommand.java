package io.outrigger.proxy.cli;

import io.outrigger.proxy.options.Flag;
import io.outrigger.proxy.options.InvalidInput;
import io.outrigger.proxy.options.OptionsReader;
import io.outrigger.proxy.options.ProxyOptions;
import io.outrigger.proxy.options.ProxyOptions.ConfigSource;
import io.outrigger.proxy.options.Unsupported;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code outrigger run}: all input is read and validated before the program starts. */
final class RunCommand implements Callable<Integer> {
  private static final Logger log = LoggerFactory.getLogger(RunCommand.class);

  private final Programs programs;
  private final Surroundings surroundings;
  private final CommandSpec spec;

  private RunCommand(Programs programs, Surroundings surroundings) {
    this.programs = programs;
    this.surroundings = surroundings;
    this.spec = CommandSpec.wrapWithoutInspection(this);
  }

  /** The command with an option for each {@link Flag}. */
  static CommandSpec spec(Programs programs, Surroundings surroundings) {
    CommandSpec spec = new RunCommand(programs, surroundings).spec;
    spec.usageMessage()
        .customSynopsis(
            "outrigger run --forward [NAME@]LISTEN=TARGET... [--bootstrap FILE | --resources PATH...]"
                + " [FLAGS]")
        .sortOptions(false)
        .description(
            "Runs the sidecar.",
            "Every flag has an environment variable, OUTRIGGER_ and the name in upper case with _"
                + " for -, lists separated by commas. Flags win over variables, which win over the"
                + " file of --config.");
    Arrays.stream(Flag.values()).forEach(flag -> spec.addOption(option(flag)));
    return spec;
  }

  private static OptionSpec option(Flag flag) {
    OptionSpec.Builder option =
        OptionSpec.builder(flag.option()).description(flag.help().replace("%", "%%"));
    return switch (flag.arity()) {
      case SWITCH ->
          option
              .type(String.class)
              .arity("0..1")
              .fallbackValue("true")
              .paramLabel("true|false")
              .build();
      case ONE -> option.type(String.class).arity("1").paramLabel(flag.label()).build();
      case MANY ->
          option
              .type(List.class)
              .auxiliaryTypes(String.class)
              .arity("1")
              .paramLabel(flag.label())
              .build();
    };
  }

  @Override
  public Integer call() throws Exception {
    ProxyOptions options =
        OptionsReader.read(given(), surroundings.environment(), surroundings.machine());
    Unsupported.refuse(options);
    surroundings.logging().accept(options.logging());
    ConfigSource source = options.source();
    source.warnings().forEach(log::warn);
    if (source.isStatic()) {
      checkResources(source);
    }
    return programs.run().run(options, surroundings.signals().get());
  }

  private void checkResources(ConfigSource source) throws InvalidInput {
    List<String> errors =
        programs.resources().check(source.resources(), Optional.of(source.bootstrap()));
    if (!errors.isEmpty()) {
      throw new InvalidInput(errors);
    }
  }

  private Map<Flag, List<String>> given() {
    Map<Flag, List<String>> given = new EnumMap<>(Flag.class);
    for (Flag flag : Flag.values()) {
      Object value = spec.findOption(flag.option()).getValue();
      if (value instanceof List<?> list) {
        List<String> values = new ArrayList<>();
        list.forEach(element -> values.add(String.valueOf(element)));
        given.put(flag, values);
      } else if (value != null) {
        given.put(flag, List.of(value.toString()));
      }
    }
    return given;
  }
}

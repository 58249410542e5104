package io.outrigger.proxy.cli;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.proxy.options.BootstrapSource;
import io.outrigger.proxy.options.Flag;
import io.outrigger.proxy.options.InvalidInput;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code outrigger validate}: what the live client would refuse, found offline. */
@Command(
    description = {
      "Validates a bootstrap and static resources as the sidecar would. Prints every finding, and"
          + " exits with 0 when nothing would be refused, else 2."
    })
final class ValidateCommand implements Callable<Integer> {
  @Option(
      names = "--bootstrap",
      paramLabel = "FILE",
      description =
          "default: $GRPC_XDS_BOOTSTRAP or $GRPC_XDS_BOOTSTRAP_CONFIG, where one of them is set")
  private Optional<Path> bootstrap = Optional.empty();

  @Option(
      names = "--resources",
      paramLabel = "PATH",
      arity = "1..*",
      description = "files or folders of resources")
  private List<Path> resources = new ArrayList<>();

  private final ResourceCheck check;
  private final Surroundings surroundings;

  ValidateCommand(ResourceCheck check, Surroundings surroundings) {
    this.check = check;
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws InvalidInput {
    List<String> errors = new ArrayList<>();
    List<String> fine = new ArrayList<>();
    Optional<Bootstrap> read = checkBootstrap(errors, fine);
    if (read.isEmpty() && errors.isEmpty() && resources.isEmpty()) {
      throw new InvalidInput(
          List.of(
              "nothing to validate; give --bootstrap FILE or --resources PATH, or set "
                  + BootstrapSource.FILE_VARIABLE));
    }
    checkResources(read, errors, fine);
    PrintWriter out = surroundings.out();
    fine.forEach(out::println);
    errors.forEach(out::println);
    if (errors.isEmpty()) {
      return Failures.OK;
    }
    Failures.line(
        surroundings.err(),
        errors.size() == 1
            ? "1 error found; correct it at the place that its line names"
            : errors.size() + " errors found; correct them at the places that their lines name");
    return Failures.BAD_INPUT;
  }

  private Optional<Bootstrap> checkBootstrap(List<String> errors, List<String> fine) {
    try {
      Optional<BootstrapSource.Found> found =
          BootstrapSource.find(bootstrap, Flag.BOOTSTRAP.option(), surroundings.environment());
      found.ifPresent(
          f -> {
            fine.add(f.origin() + ": OK");
            f.warnings().forEach(warning -> fine.add("warning: " + warning));
          });
      return found.map(BootstrapSource.Found::bootstrap);
    } catch (InvalidInput e) {
      errors.addAll(e.lines());
      return Optional.empty();
    }
  }

  private void checkResources(Optional<Bootstrap> read, List<String> errors, List<String> fine) {
    List<Path> readable = new ArrayList<>();
    for (Path path : resources) {
      if (Files.isReadable(path)) {
        readable.add(path);
      } else {
        errors.add("--resources: cannot read " + path + ": no such file, or permission denied");
      }
    }
    if (readable.isEmpty()) {
      return;
    }
    List<String> found = check.check(readable, read);
    errors.addAll(found);
    if (found.isEmpty()) {
      readable.forEach(path -> fine.add(path + ": OK"));
    }
  }
}

package io.outrigger.program.cli;

import io.outrigger.base.Count;
import io.outrigger.base.DurationText;
import io.outrigger.base.PlainText;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.lb.view.LbNode;
import io.outrigger.program.app.LiveCheck;
import io.outrigger.program.options.BootstrapSource;
import io.outrigger.program.options.Flag;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.SourceLookup;
import io.outrigger.program.options.Target;
import io.outrigger.xds.kubernetes.ApiAccess;
import io.outrigger.xds.kubernetes.Kubeconfig;
import io.outrigger.xds.local.OverlayFiles;
import io.outrigger.xds.local.ResourceFiles;
import io.outrigger.xds.local.ResourceValidator;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.status.OverlayStatus;
import io.outrigger.xds.transport.CredentialCheck;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code outrigger validate}: reports everything that a running sidecar would reject or could not
 * use.
 */
@Command(
    description = {
      "Validates a bootstrap and static resources as the sidecar would, and checks their"
          + " references. With --live, also validates the resources that the control plane sends"
          + " for a target. Prints every finding. Exits with 2 if there is an error, else with 0."
    })
final class ValidateCommand implements Callable<Integer> {
  /** The largest number of endpoints that are printed for each node of a load-balancing tree. */
  private static final int MAX_ENDPOINTS = 10;

  @Option(
      names = "--bootstrap",
      paramLabel = "FILE",
      description =
          "the gRPC xDS bootstrap. Default: $GRPC_XDS_BOOTSTRAP, else $GRPC_XDS_BOOTSTRAP_CONFIG")
  private Optional<Path> bootstrap = Optional.empty();

  @Option(
      names = "--resources",
      paramLabel = "PATH",
      arity = "1..*",
      description = "files or folders of resources")
  private List<Path> resources = new ArrayList<>();

  @Option(
      names = "--overlay",
      paramLabel = "PATH",
      arity = "1..*",
      description =
          "files or folders of local policy, applied to the resources of --resources and --live")
  private List<Path> overlays = new ArrayList<>();

  @Option(
      names = "--live",
      description =
          "fetches the resources of --target from the control plane, DNS or the API server of"
              + " Kubernetes, and prints the LB tree")
  private boolean live;

  @Option(
      names = "--target",
      paramLabel = "TARGET",
      description = "such as xds:///orders, dns:///orders:50051 or k8s:///orders.shop:8080")
  private Optional<String> target = Optional.empty();

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "a kubeconfig file, for a k8s: target outside of a cluster")
  private Optional<Path> kubeconfig = Optional.empty();

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      description = "the limit for all fetches together. Default ${DEFAULT-VALUE}",
      defaultValue = "15s")
  private String timeout = "";

  private final CommandContext context;
  private final List<String> errors = new ArrayList<>();

  /** The lines of the report that are not errors, such as warnings. */
  private final List<String> notices = new ArrayList<>();

  ValidateCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws InvalidInput {
    Optional<Target.Single> checkedTarget = liveTarget();
    Duration limit = InvalidInput.read("--timeout", timeout, DurationText::parse);
    Optional<Bootstrap> read = checkBootstrap();
    OverlayFiles overlay = checkOverlay();
    if (read.isEmpty()
        && errors.isEmpty()
        && resources.isEmpty()
        && overlays.isEmpty()
        && checkedTarget.isEmpty()) {
      throw new InvalidInput(
          "nothing to validate; give --bootstrap FILE, --resources PATH or --overlay PATH, or set "
              + BootstrapSource.FILE_VARIABLE);
    }
    checkResources(read, overlay.overlay());
    if (errors.isEmpty() && checkedTarget.isPresent()) {
      checkLive(read, overlay.overlay(), checkedTarget.get(), limit);
    }
    PrintWriter out = context.out();
    notices.stream().map(PlainText::of).forEach(out::println);
    errors.stream().map(PlainText::of).forEach(out::println);
    if (errors.isEmpty()) {
      return Failures.OK;
    }
    Failures.line(
        context.err(),
        errors.size() == 1
            ? "1 error found; correct it at the place that its line names"
            : errors.size() + " errors found; correct them at the places that their lines name");
    return Failures.BAD_INPUT;
  }

  private Optional<Target.Single> liveTarget() throws InvalidInput {
    if (!live && target.isEmpty()) {
      return Optional.empty();
    }
    if (!live || target.isEmpty()) {
      throw new InvalidInput(
          live ? "--live: give --target xds:///NAME too" : "--target: is for --live only");
    }
    Target parsed = InvalidInput.read("--target", target.get(), Target::parse);
    if (parsed instanceof Target.Single single) {
      return Optional.of(single);
    }
    throw new InvalidInput("--target: give one service, not xds:///*");
  }

  private void checkLive(
      Optional<Bootstrap> read, Overlay overlay, Target.Single checkedTarget, Duration limit)
      throws InvalidInput {
    boolean isNeeded = checkedTarget.ownServer().isEmpty();
    if (isNeeded && read.isEmpty()) {
      throw new InvalidInput(
          "--live: give --bootstrap FILE, or set " + BootstrapSource.FILE_VARIABLE);
    }
    Bootstrap bootstrap = isNeeded ? read.orElseThrow() : BootstrapSource.NONE;
    warnOfOtherStreams(bootstrap);
    try {
      LiveCheck.Result result =
          context
              .programs()
              .live()
              .check(bootstrap, overlay, checkedTarget, apiServer(checkedTarget), limit);
      addTrees(checkedTarget, result);
      result.findings().forEach(finding -> errors.add(checkedTarget + ": " + finding));
      report(result.rules());
    } catch (IllegalArgumentException | IllegalStateException e) {
      errors.add(checkedTarget + ": " + e.getMessage());
    }
  }

  private void addTrees(Target.Single target, LiveCheck.Result result) {
    if (result.trees().isEmpty() && result.routes() == 0) {
      return;
    }
    notices.add(
        "%s: virtual host \"%s\", %s, %s"
            .formatted(
                target,
                result.virtualHost(),
                Count.of(result.routes(), "route"),
                Count.of(result.trees().size(), "cluster")));
    result.warnings().forEach(warning -> notices.add("warning: " + target + ": " + warning));
    result.trees().forEach(tree -> addNode(tree, "  "));
  }

  private void addNode(LbNode node, String indent) {
    String endpoints =
        Count.list(
            node.endpoints().stream().map(each -> each.address().toString()).toList(),
            MAX_ENDPOINTS);
    String kept = node.children().isEmpty() ? "" : "left out for their health: ";
    notices.add(
        indent
            + node.policy()
            + ": "
            + node.name()
            + (node.detail().equals(LbNode.NOT_STARTED) ? "" : ", " + node.detail())
            + (endpoints.isEmpty() ? "" : ", " + kept + endpoints));
    node.children().forEach(child -> addNode(child, indent + "  "));
  }

  private Optional<ApiAccess> apiServer(Target.Single checkedTarget) {
    return Optional.of(checkedTarget)
        .filter(Target.Kubernetes.class::isInstance)
        .map(
            target ->
                kubeconfig
                    .map(Kubeconfig::read)
                    .orElseGet(() -> ApiAccess.ofPod(context.environment())));
  }

  /** Warns before {@code --live} connects to istio's agent, so that the user can stop the check. */
  private void warnOfOtherStreams(Bootstrap bootstrap) {
    for (XdsServer server : bootstrap.allServers()) {
      if (server.isUnixSocket()) {
        context
            .out()
            .println(
                PlainText.of(
                    "warning: xds server "
                        + server.uri()
                        + ": istio's agent serves one stream at a time; if this socket is the"
                        + " agent's, a running sidecar loses its stream during this check and"
                        + " reconnects"));
      }
    }
  }

  private Optional<Bootstrap> checkBootstrap() {
    try {
      Optional<BootstrapSource.Found> found =
          BootstrapSource.find(bootstrap, Flag.BOOTSTRAP.option(), context.environment());
      found.ifPresent(
          f -> {
            CredentialCheck credentials = CredentialCheck.of(f.bootstrap());
            credentials.errors().forEach(error -> errors.add(f.origin() + ": " + error));
            if (credentials.errors().isEmpty()) {
              notices.add(f.origin() + ": OK");
            }
            f.warnings().forEach(warning -> notices.add("warning: " + warning));
            credentials
                .warnings()
                .forEach(warning -> notices.add("warning: " + f.origin() + ": " + warning));
          });
      return found.map(BootstrapSource.Found::bootstrap);
    } catch (InvalidInput e) {
      errors.addAll(e.lines());
      return Optional.empty();
    }
  }

  private OverlayFiles checkOverlay() {
    OverlayFiles read = OverlayFiles.read(overlays);
    read.problems().forEach(problem -> errors.add(problem.toString()));
    read.ignored().forEach(field -> notices.add("warning: " + field));
    if (read.problems().isEmpty()) {
      overlays.forEach(path -> notices.add(path + ": OK"));
    }
    return read;
  }

  /**
   * Reports overlay rules without effect: a rule that would make a resource invalid is an error,
   * and a rule that matches no resource is a warning.
   */
  private void report(List<OverlayStatus.Rule> rules) {
    for (OverlayStatus.Rule rule : rules) {
      if (rule.matchesNothing()) {
        notices.add("warning: " + rule.rule() + " matches nothing");
      }
      for (OverlayStatus.Omission omission : rule.leftOut()) {
        errors.add(
            "%s:%d: rule %s would be left out of %s: %s%s"
                .formatted(
                    rule.rule().file(),
                    rule.rule().line(),
                    rule.rule().name(),
                    omission.resource(),
                    omission.field().isEmpty() ? "" : omission.field() + ": ",
                    omission.reason()));
      }
    }
  }

  private void checkResources(Optional<Bootstrap> read, Overlay overlay) {
    if (resources.isEmpty()) {
      return;
    }
    ResourceValidator.Result result =
        SourceLookup.validated(
            ResourceFiles.read(resources), read.orElse(BootstrapSource.NONE), overlay);
    result.problems().forEach(problem -> errors.add(problem.toString()));
    result.broken().forEach(problem -> errors.add(problem.toString()));
    result.warnings().forEach(warning -> notices.add("warning: " + warning));
    report(result.rules());
    if (result.problems().isEmpty() && result.broken().isEmpty()) {
      resources.forEach(path -> notices.add(path + ": OK"));
    }
  }
}

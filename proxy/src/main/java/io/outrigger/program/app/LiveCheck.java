package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.BackgroundThread;
import io.outrigger.base.ControlThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.dataplane.route.DefaultLimit;
import io.outrigger.lb.tree.DryRunTrees;
import io.outrigger.lb.view.LbNode;
import io.outrigger.program.options.Target;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.deps.XdsDependencyManager;
import io.outrigger.xds.dns.NettyDnsLookup;
import io.outrigger.xds.kubernetes.ApiAccess;
import io.outrigger.xds.kubernetes.Kubernetes;
import io.outrigger.xds.local.References;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.status.OverlayStatus;
import io.outrigger.xds.stream.AdsObserver;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A dry run against a control plane. The check fetches the resources of a target as the sidecar
 * would, and reports the resulting configuration. Binds no port and connects to no backend.
 */
@AnyThread
public final class LiveCheck implements XdsDependencyManager.Listener, AdsObserver {
  private final ControlThread control = new ControlThread("control");
  private final CompletableFuture<Result> done = new CompletableFuture<>();

  // The fields findings, lastFailure and rules are confined to the control loop.
  private final Set<String> findings = new LinkedHashSet<>();
  private String lastFailure = "";
  private Supplier<List<OverlayStatus.Rule>> rules = List::of;

  /**
   * @param findings lists rejected and missing resources, and resources that cannot work
   * @param warnings lists resources that work only in part, and the routes that A31's default
   *     timeout limits
   * @param routes the number of routes in the target's virtual host
   */
  public record Result(
      List<String> findings,
      List<String> warnings,
      String virtualHost,
      int routes,
      List<LbNode> trees,
      List<OverlayStatus.Rule> rules) {
    public Result {
      rules = List.copyOf(rules);
      findings = List.copyOf(findings);
      warnings = List.copyOf(warnings);
      trees = List.copyOf(trees);
    }

    static Result failed(Set<String> findings) {
      return new Result(List.copyOf(findings), List.of(), "", 0, List.of(), List.of());
    }
  }

  private LiveCheck() {}

  /**
   * Checks the given target. Blocks until the check is done.
   *
   * @param apiServer the API server of a {@code k8s:///} target; empty for other targets
   * @param timeout limits the time of the whole check
   * @throws IllegalArgumentException when a control plane of the bootstrap cannot be used, for
   *     example because a certificate is missing
   */
  public static Result run(
      Bootstrap bootstrap,
      Overlay overlay,
      Target.Single target,
      Optional<ApiAccess> apiServer,
      Duration timeout) {
    Outcome<String> listener = target.listener(bootstrap);
    if (!(listener instanceof Outcome.Ok<String> found)) {
      return Result.failed(Set.of(target + ": " + listener.status().message()));
    }
    var check = new LiveCheck();
    try (var control = check.control;
        var decoding = new BackgroundThread("xds-decode")) {
      var dns = new NettyDnsLookup(control);
      Optional<Kubernetes> kubernetes =
          apiServer.map(
              api ->
                  Kubernetes.start(
                      control,
                      api,
                      Optional.empty(),
                      List.of(((Target.Kubernetes) target).port())));
      var xds =
          ControlPlanes.clients(
              control,
              decoding,
              bootstrap,
              target instanceof Target.Dns known ? List.of(known.name()) : List.of(),
              kubernetes,
              Optional.empty(),
              check);
      var configs =
          new XdsDependencyManager(
              control,
              PortOpener.client(target, xds),
              dns,
              found.value(),
              target.dataPlaneAuthority(),
              target.ownServer().isEmpty() ? bootstrap.node().id() : "",
              check,
              RandomSource.SYSTEM);
      check.rules = xds::overlayRules;
      control.execute(() -> xds.overlay(overlay, (resource, omission) -> {}));
      control.execute(configs::start);
      control.execute(() -> control.schedule(timeout, () -> check.onTimeout(configs, timeout)));
      Result result = check.done.join();
      CompletableFuture.runAsync(
              () -> {
                configs.close();
                xds.close();
                dns.close();
                kubernetes.ifPresent(Kubernetes::close);
              },
              control)
          .join();
      return result;
    }
  }

  private void onTimeout(XdsDependencyManager configs, Duration timeout) {
    String waiting = configs.waitingFor().map(what -> "no response for " + what).orElse("not done");
    findings.add(
        waiting
            + " within "
            + timeout.toMillis() / 1000.0
            + " s"
            + (lastFailure.isEmpty() ? "" : ": " + lastFailure));
    done.complete(Result.failed(findings));
  }

  @Override
  public void onConfig(Outcome<XdsConfig> config) {
    if (!(config instanceof Outcome.Ok<XdsConfig> ok)) {
      findings.add(config.status().message());
      done.complete(Result.failed(findings));
      return;
    }
    XdsConfig value = ok.value();
    value
        .clusters()
        .forEach(
            (name, cluster) -> {
              if (!cluster.isOk()) {
                findings.add("cluster \"" + name + "\": " + cluster.status().message());
              } else if (cluster instanceof Outcome.Ok<ClusterConfig> found
                  && found.value() instanceof ClusterConfig.Leaf leaf
                  && !leaf.endpoints().isOk()) {
                findings.add("cluster \"" + name + "\": " + leaf.endpoints().status().message());
              }
            });
    Set<String> warnings = new LinkedHashSet<>();
    References.check(value)
        .forEach(
            (resource, found) -> {
              found.all().forEach(each -> findings.add(resource + ": " + each));
              found.ignored().forEach(each -> warnings.add(resource + ": " + each));
            });
    DefaultLimit.warning(value, false).ifPresent(warnings::add);
    done.complete(
        new Result(
            List.copyOf(findings),
            List.copyOf(warnings),
            value.virtualHost().name(),
            value.virtualHost().routes().size(),
            DryRunTrees.of(value),
            rules.get()));
  }

  @Override
  public void onClusters(Map<String, Outcome<ClusterConfig>> changed) {
    // The check reports the first complete configuration and ignores later changes of clusters.
  }

  @Override
  public void onFailed(String server, RpcStatus reason) {
    lastFailure = server + ": " + reason;
  }

  @Override
  public void onNack(String server, Response response, String details) {
    details.lines().forEach(findings::add);
  }

  @Override
  public void onResourceErrors(
      String server, ResourceType<?> type, List<String> names, RpcStatus status) {
    names.forEach(name -> findings.add(status.withPrefix(type.subject(name)).toString()));
  }
}

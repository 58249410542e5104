package io.outrigger.program.app;

import ch.qos.logback.classic.LoggerContext;
import io.outrigger.base.AnyThread;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.observe.admin.AdminEndpoint;
import io.outrigger.observe.admin.AdminReply;
import io.outrigger.observe.admin.AdminRequest;
import io.outrigger.observe.admin.CallViews;
import io.outrigger.observe.admin.LbViews;
import io.outrigger.observe.admin.OverlayViews;
import io.outrigger.observe.admin.StaticPage;
import io.outrigger.observe.admin.XdsViews;
import io.outrigger.observe.admin.grpc.AppHealth;
import io.outrigger.observe.metrics.MetricsText;
import io.outrigger.program.options.ProgramVersion;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.slf4j.LoggerFactory;

/** The table of the admin endpoints (CONTRACT section 6). */
@AnyThread
final class AdminEndpoints {
  private final Components components;
  private final XdsViews xdsViews;

  private AdminEndpoints(Components components) {
    this.components = components;
    this.xdsViews = new XdsViews(components.controlPlanes::node, ProgramVersion.text());
  }

  static Map<String, AdminEndpoint> of(Components components) {
    var endpoints = new AdminEndpoints(components);
    Map<String, AdminEndpoint> table = new HashMap<>();
    StaticPage.addTo(table);
    endpoints.addProbes(table);
    add(table, "GET /server_info", request -> endpoints.serverInfo());
    add(table, "GET /forwards", request -> endpoints.forwards());
    add(table, "GET /listeners", request -> endpoints.listeners());
    add(table, "GET /calls", request -> endpoints.calls());
    add(table, "GET /lb", endpoints.ofForwards(endpoints::lb), "forward", "detail");
    add(table, "GET /config_dump", endpoints::configDump, "type", "name");
    add(table, "GET /xds", endpoints::xds, "name");
    add(table, "GET /overlay", request -> endpoints.overlay());
    add(table, "GET /certs", request -> endpoints.certificates());
    add(table, "GET /events", new EventEndpoint(components), "format", "since");
    add(
        table,
        "GET /explain",
        new ExplainEndpoint(components),
        "forward",
        "path",
        "method",
        "header",
        "authority",
        "serve",
        "peer",
        "source");
    add(
        table,
        "GET /history",
        endpoints.ofForwards(endpoints::history),
        "forward",
        "cluster",
        "endpoint");
    add(table, "GET /memory", request -> AdminReply.json(200, components.memory.now()).done());
    var loggers = new LoggerLevels((LoggerContext) LoggerFactory.getILoggerFactory());
    add(table, "GET /loggers", request -> loggers.reply().done());
    add(table, "POST /loggers/*", request -> loggers.set(request).done(), "level");
    add(table, "POST /drain", request -> drain(components.drain.begin()));
    add(table, "POST /quit", request -> drain(components.drain.beginAndLeave()));
    return table;
  }

  private static void add(
      Map<String, AdminEndpoint> table, String path, AdminEndpoint endpoint, String... parameters) {
    List<String> known = List.of(parameters);
    table.put(
        path,
        request -> {
          request.requireOnly(known);
          return endpoint.answer(request);
        });
  }

  /** Returns the endpoints of the {@code --health} server, which change no state. */
  static Map<String, AdminEndpoint> probes(Components components) {
    Map<String, AdminEndpoint> table = new HashMap<>();
    new AdminEndpoints(components).addProbes(table);
    if (!components.serves.isEmpty()) {
      var apps =
          new AppHealth(
              components.control,
              components.serves.stream().map(serve -> serve.spec().app().toString()).toList());
      table.put(
          "GET /app",
          request ->
              components
                  .onControl(apps::check)
                  .thenCompose(check -> check)
                  .thenApply(
                      reasons ->
                          reasons.isEmpty()
                              ? AdminReply.text(200, "serving")
                              : AdminReply.text(503, reasons)));
    }
    return table;
  }

  /**
   * Adds the probe endpoints, which accept any query parameter, because scrapers, probes and
   * bookmarks add their own parameters.
   */
  private void addProbes(Map<String, AdminEndpoint> table) {
    table.put("GET /live", request -> live());
    table.put("GET /ready", request -> ready());
    table.put("GET /metrics", this::metrics);
  }

  /** The control loop creates the reply: if this loop hangs, a probe of {@code /live} times out. */
  private CompletionStage<AdminReply> live() {
    return components.onControl(() -> AdminReply.text(200, "live"));
  }

  private CompletionStage<AdminReply> ready() {
    return components.onControl(
        () -> {
          List<String> reasons = components.notReady();
          List<String> lines = new ArrayList<>(reasons.isEmpty() ? List.of("ready") : reasons);
          if (reasons.isEmpty()) {
            components.forwards.forEach(each -> each.failure().ifPresent(lines::add));
          }
          components.controlPlanes.stale().ifPresent(lines::add);
          return AdminReply.text(reasons.isEmpty() ? 200 : 503, String.join("\n", lines));
        });
  }

  private static Instant started() {
    return Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime());
  }

  private CompletionStage<AdminReply> serverInfo() {
    return AdminReply.json(
            200,
            AdminReply.members(
                "version", ProgramVersion.text(),
                "commit", ProgramVersion.commit(),
                "jdk", Runtime.version().toString(),
                "started", started(),
                "uptime_s", Duration.between(started(), Instant.now()).toSeconds(),
                "node", components.controlPlanes.node().id(),
                "flags", components.options.settings()))
        .done();
  }

  private CompletionStage<AdminReply> forwards() {
    return components.onControl(
        () ->
            AdminReply.json(
                200,
                components.forwards.stream()
                    .map(
                        each ->
                            each.view(components.bootstrapWait.missing(), components.drain.phase()))
                    .toList()));
  }

  private CompletionStage<AdminReply> listeners() {
    return components.onControl(
        () ->
            AdminReply.json(
                200,
                components.serves.stream()
                    .map(each -> each.view(components.bootstrapWait.missing()))
                    .toList()));
  }

  /** Creates the reply to {@code /calls} on any thread, because counters are thread-safe. */
  private CompletionStage<AdminReply> calls() {
    return CallViews.reply(
            Instant.now(),
            started(),
            components.forwards.stream().map(RunningForward::listener).toList())
        .done();
  }

  /** Returns an endpoint that shows all forwards, or only the forward that the query names. */
  private AdminEndpoint ofForwards(
      BiFunction<AdminRequest, List<RunningForward>, CompletionStage<AdminReply>> view) {
    return request -> {
      Optional<String> only = request.parameter("forward");
      List<RunningForward> forwards = components.forwards(only);
      return forwards.isEmpty() && only.isPresent()
          ? AdminReply.text(
                  404, "no forward of that name; it is one of " + components.forwardNames())
              .done()
          : view.apply(request, forwards);
    };
  }

  private CompletionStage<AdminReply> lb(AdminRequest request, List<RunningForward> forwards) {
    LbViews.Detail detail = LbViews.Detail.of(request);
    return components.onControl(
        () ->
            LbViews.reply(
                detail,
                components.overlay.clusters(),
                forwards.stream().map(AdminEndpoints::trees).toList()));
  }

  /** Must run on the control loop. */
  private static LbViews.Forward trees(RunningForward forward) {
    List<ClusterManager> clusters = forward.clusters().toList();
    return new LbViews.Forward(
        forward.name(),
        forward.target(),
        clusters.stream().flatMap(ClusterManager::handles).map(ClusterHandle::state).toList(),
        forward.tally().all(),
        visitor -> clusters.forEach(each -> each.accept(visitor)));
  }

  private CompletionStage<AdminReply> configDump(AdminRequest request) {
    Optional<String> type = request.choice("type", "lds", "rds", "cds", "eds");
    return components
        .onControl(components.controlPlanes::status)
        .thenApplyAsync(view -> xdsViews.configDump(view, type, request.parameter("name")));
  }

  private CompletionStage<AdminReply> xds(AdminRequest request) {
    return components
        .onControl(components.controlPlanes::status)
        .thenApplyAsync(view -> xdsViews.summary(view, request.parameter("name")));
  }

  private CompletionStage<AdminReply> overlay() {
    return components.onControl(components.overlay::status).thenApplyAsync(OverlayViews::reply);
  }

  private CompletionStage<AdminReply> certificates() {
    return components
        .onControl(components.certificates::view)
        .thenApplyAsync(view -> AdminReply.json(200, view));
  }

  private CompletionStage<AdminReply> history(AdminRequest request, List<RunningForward> forwards) {
    return components
        .onControl(
            () ->
                forwards.stream()
                    .map(
                        each ->
                            each.history()
                                .read(request.parameter("cluster"), request.parameter("endpoint")))
                    .toList())
        .thenCompose(
            views ->
                CompletableFuture.allOf(views.toArray(CompletableFuture<?>[]::new))
                    .thenApplyAsync(
                        all ->
                            AdminReply.json(
                                200,
                                Map.of(
                                    "forwards",
                                    views.stream().map(CompletableFuture::join).toList()))));
  }

  private CompletionStage<AdminReply> metrics(AdminRequest request) {
    MetricsText text = MetricsText.accepted(request.accept());
    return components
        .onControl(components::metrics)
        .thenApplyAsync(
            view -> AdminReply.written(200, text.contentType(), out -> text.write(view, out)))
        .thenApply(reply -> reply.with(Map.of("vary", "accept, accept-encoding")));
  }

  private static CompletionStage<AdminReply> drain(CompletableFuture<Void> over) {
    return AdminReply.json(202, Map.of("draining", true, "over", over.isDone())).done();
  }
}

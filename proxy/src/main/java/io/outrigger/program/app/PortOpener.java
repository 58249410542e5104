package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlThread;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.dataplane.downstream.Http2Listener;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.dataplane.forward.AuthorityMode;
import io.outrigger.dataplane.forward.CallLoop;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.dataplane.forward.TargetResolver;
import io.outrigger.dataplane.memory.MemoryGauge;
import io.outrigger.dataplane.serve.ServeSettings;
import io.outrigger.dataplane.serve.ServedListener;
import io.outrigger.dataplane.tls.TlsContexts;
import io.outrigger.http2.EventLoops;
import io.outrigger.observe.access.AccessLog;
import io.outrigger.observe.access.StdoutAuditLog;
import io.outrigger.observe.events.EventLog;
import io.outrigger.observe.history.TrafficHistory;
import io.outrigger.observe.telemetry.Telemetry;
import io.outrigger.program.options.ForwardSpec;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.ServeSpec;
import io.outrigger.program.options.StartFailure;
import io.outrigger.program.options.Target;
import io.outrigger.program.options.XdsTarget;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Opens the forwards and the served addresses of the options: their targets, their calls and their
 * ports.
 *
 * @param byAuthority receives the targets of each forward that takes the target from each request's
 *     authority
 */
@AnyThread
record PortOpener(
    ProxyOptions options,
    ControlThread control,
    Targets targets,
    EventLoops loops,
    List<CallLoop> callLoops,
    MemoryGauge memory,
    TlsContexts tls,
    EventLog events,
    Optional<AccessLog> access,
    Optional<Telemetry> telemetry,
    List<AuthorityTargets> byAuthority) {
  /**
   * Opens the port of a forward. No xDS resource is watched yet.
   *
   * @throws StartFailure when the port cannot be bound
   */
  RunningForward open(ForwardSpec spec) throws StartFailure {
    TargetResolver resolver;
    Optional<TargetRuntime> only = Optional.empty();
    Supplier<List<TargetRuntime>> all;
    Function<String, Optional<TargetRuntime>> known;
    if (spec.target() instanceof Target.Single single
        && !(options.routing().authority() instanceof AuthorityMode.Preserve)) {
      TargetRuntime target = onlyTarget(spec.name(), single);
      only = Optional.of(target);
      all = () -> List.of(target);
      known = authority -> Optional.of(target);
      resolver = TargetResolver.fixed(target);
    } else {
      var many = new AuthorityTargets(control, options.limits().maxTargets(), targetMaker(spec));
      byAuthority.add(many);
      all = many::targets;
      known = many::known;
      resolver = many;
    }
    var history = new TrafficHistory(spec.name(), control, executors());
    var forward =
        new Forward(
            spec.name(),
            PartSettings.forward(options, () -> targets.controlPlanes().node().id()),
            resolver,
            access.map(lines -> history.and(lines.of(spec.name()))).orElse(history),
            telemetry.map(Telemetry::tracer).orElse(CallTracer.NONE),
            memory,
            loops.count());
    Http2Listener listener = listen(spec, forward);
    ListenAddress bound = bound(spec.listen(), listener.port());
    return new RunningForward(
        spec.name(), bound, spec.target().toString(), listener, only, all, known, history);
  }

  private List<Executor> executors() {
    return List.copyOf(callLoops);
  }

  private TargetRuntime onlyTarget(String forward, Target.Single target) {
    String authority =
        options.routing().authority() instanceof AuthorityMode.Fixed fixed
            ? fixed.text()
            : target.dataPlaneAuthority();
    return targets.make(forward, target, authority);
  }

  /**
   * Creates targets that each request's authority names. With a fixed authority, the request's
   * authority selects only the target; virtual hosts match the fixed authority.
   */
  private Function<String, TargetRuntime> targetMaker(ForwardSpec spec) {
    Optional<String> fixed =
        options.routing().authority() instanceof AuthorityMode.Fixed f
            ? Optional.of(f.text())
            : Optional.empty();
    return authority ->
        targets.make(
            spec.name(),
            spec.target() instanceof Target.Single single
                ? single
                : new XdsTarget.Service(Optional.empty(), authority),
            fixed.orElse(authority));
  }

  private Http2Listener listen(ForwardSpec spec, Forward forward) throws StartFailure {
    SocketAddress address =
        spec.listen() instanceof ListenAddress.Unix unix
            ? UnixDomainSocketAddress.of(Path.of(unix.path()))
            : tcp((ListenAddress.Tcp) spec.listen());
    try {
      return Http2Listener.bind(
          address, loops, callLoops, forward, PartSettings.listener(options, memory));
    } catch (IOException e) {
      throw StartFailure.cannotBind("--forward " + spec, e);
    }
  }

  private static ListenAddress bound(ListenAddress asked, int port) {
    return asked instanceof ListenAddress.Tcp tcp ? new ListenAddress.Tcp(tcp.host(), port) : asked;
  }

  private static InetSocketAddress tcp(ListenAddress.Tcp address) {
    return new InetSocketAddress(address.host(), address.port());
  }

  /**
   * Makes a served address, whose port is still closed, and starts to connect to its app. Blocks
   * until the control loop has done its part.
   */
  RunningServe open(ServeSpec spec, StdoutAuditLog audit) {
    return CompletableFuture.supplyAsync(() -> make(spec, audit), control).join();
  }

  private RunningServe make(ServeSpec spec, StdoutAuditLog audit) {
    var calls =
        new Forward(
            spec.name(),
            PartSettings.serving(options),
            TargetResolver.none(),
            access.map(lines -> lines.ofServe(spec.name())).orElse(call -> true),
            telemetry.map(Telemetry::serverTracer).orElse(CallTracer.NONE),
            memory,
            loops.count());
    var reports = new ServingReports(events, spec.name());
    var records = new ServeRecords(spec.name(), reports, audit, control, events, System::nanoTime);
    var app = targets.app(spec);
    var port =
        new ServedListener(
            control,
            loops,
            callLoops,
            calls,
            PartSettings.listener(options, memory).exposed(),
            settings(spec),
            app,
            tls,
            targets.random(),
            records);
    return new RunningServe(spec, calls, app, port, reports, records);
  }

  private ServeSettings settings(ServeSpec spec) {
    ProxyOptions.Serving serving = options.serving();
    return new ServeSettings(
        spec.name(),
        new InetSocketAddress(spec.listen().host(), spec.listen().port()),
        serving.drainSpread(),
        serving.drainGrace(),
        serving.requireRbac(),
        serving.peerHeader());
  }
}

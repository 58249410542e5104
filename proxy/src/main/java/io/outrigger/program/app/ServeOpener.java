package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlThread;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.calls.CallTracer;
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
import io.outrigger.observe.telemetry.Telemetry;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.ServeSpec;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Makes the served addresses of the options: the way to the app, and the port, still closed. */
@AnyThread
record ServeOpener(
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
    StdoutAuditLog audit) {
  /**
   * Makes a served address and starts to connect to its app. Blocks until the control loop has done
   * its part.
   */
  RunningServe open(ServeSpec spec) {
    return CompletableFuture.supplyAsync(() -> make(spec), control).join();
  }

  private RunningServe make(ServeSpec spec) {
    var calls =
        new Forward(
            spec.name(),
            PartSettings.serving(options),
            TargetResolver.none(),
            access.map(lines -> lines.ofServe(spec.name())).orElseGet(CallObserver::none),
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

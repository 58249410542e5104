package io.outrigger.xds.report;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.load.LoadSource;
import io.outrigger.xds.decode.WireNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** Has one reporter for each server for which load is counted (A71-09). */
@ControlConfined
public final class LoadReporters {
  private final ControlLoop control;
  private final RandomSource random;
  private final WireNode node;
  private final Function<XdsServer, LrsTransport> transports;
  private final LoadSource source;
  private final Map<XdsServer, LoadReporter> reporters = new LinkedHashMap<>();
  private boolean closed;

  public LoadReporters(
      ControlLoop control,
      RandomSource random,
      WireNode node,
      Function<XdsServer, LrsTransport> transports,
      LoadSource source) {
    control.checkInside();
    this.control = control;
    this.random = random;
    this.node = node;
    this.transports = transports;
    this.source = source;
    source.onServersChanged(() -> control.execute(this::update)); // after the change
    update();
  }

  public void close() {
    closed = true;
    reporters.values().forEach(LoadReporter::close);
    reporters.clear();
  }

  private void update() {
    if (!closed) {
      source.servers().forEach(server -> reporters.computeIfAbsent(server, this::newReporter));
    }
  }

  private LoadReporter newReporter(XdsServer server) {
    return new LoadReporter(
        control,
        random,
        server,
        transports.apply(server),
        node,
        source,
        () -> reporters.remove(server));
  }
}

package io.outrigger.xds.kubernetes;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.ControlThread;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.stream.AdsTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The {@code k8s:///} targets of a process. A separate thread sends requests to the API server and
 * computes the resources, which are delivered on the control loop.
 */
@AnyThread
public final class Kubernetes implements AutoCloseable {
  private static final Duration WATCH_TIME = Duration.ofMinutes(1);

  private final ControlThread thread;

  private final List<NamespaceWatch> watches = new ArrayList<>(); // used only on the thread
  private final Map<XdsServer, ServicePublisher> publishers = new LinkedHashMap<>();

  private Kubernetes(ControlThread thread) {
    this.thread = thread;
  }

  public static Kubernetes start(
      ControlLoop control, ApiAccess access, Optional<String> zone, List<ServicePort> targets) {
    return start(control, access, zone, targets, WATCH_TIME, UnaryOperator.identity());
  }

  static Kubernetes start(
      ControlLoop control,
      ApiAccess access,
      Optional<String> zone,
      List<ServicePort> targets,
      Duration watchTime,
      UnaryOperator<ControlLoop> clock) {
    var thread = new ControlThread("kubernetes");
    var kubernetes = new Kubernetes(thread);
    ControlLoop loop = clock.apply(thread);
    var client = new ApiClient(loop, access);
    for (ServicePort target : targets) {
      kubernetes.publishers.computeIfAbsent(
          target.server(),
          server -> new ServicePublisher(loop, control, client, new Assignment(target, zone)));
    }
    thread.execute(() -> kubernetes.watch(loop, client, watchTime));
    return kubernetes;
  }

  private void watch(ControlLoop loop, ApiClient client, Duration watchTime) {
    publishers.values().stream()
        .collect(
            Collectors.groupingBy(
                each -> each.target().namespace(),
                Collectors.groupingBy(
                    each -> each.target().service(), TreeMap::new, Collectors.toList())))
        .forEach(
            (namespace, services) ->
                watches.add(
                    new NamespaceWatch(
                        loop, client, RandomSource.SYSTEM, namespace, services, watchTime)));
    watches.forEach(NamespaceWatch::start);
  }

  /** Returns the transport for the server of a {@code k8s:///} target; empty for other servers. */
  public Optional<AdsTransport> transport(XdsServer server) {
    return Optional.ofNullable(publishers.get(server)).map(ServicePublisher::transport);
  }

  @Override
  public void close() {
    thread.execute(
        () -> {
          watches.forEach(NamespaceWatch::close);
          publishers.values().forEach(ServicePublisher::close);
        });
    thread.close();
  }
}

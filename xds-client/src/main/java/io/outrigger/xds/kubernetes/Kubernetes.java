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
 * The {@code k8s:///} targets of a process: watches the slices of their services, and turns them
 * into resources, which are delivered on the control loop. Each namespace has a thread, which reads
 * responses and blocks; one more thread runs the HTTP client and all limits of time.
 */
@AnyThread
public final class Kubernetes implements AutoCloseable {
  private static final Duration WATCH_TIME = Duration.ofMinutes(1);

  private final ControlThread clientThread = new ControlThread("kubernetes");
  private final ApiClient client;
  private final List<Thread> watches = new ArrayList<>();
  private final Map<XdsServer, ServicePublisher> publishers = new LinkedHashMap<>();

  private Kubernetes(
      ControlLoop control,
      ApiAccess access,
      Optional<String> zone,
      List<ServicePort> targets,
      Duration watchTime,
      UnaryOperator<ControlLoop> clock) {
    ControlLoop loop = clock.apply(clientThread);
    client = new ApiClient(loop, access);
    for (ServicePort target : targets) {
      publishers.computeIfAbsent(
          target.server(),
          server -> new ServicePublisher(control, client, new Assignment(target, zone)));
    }
    publishers.values().stream()
        .collect(
            Collectors.groupingBy(
                each -> each.target().namespace(),
                Collectors.groupingBy(
                    each -> each.target().service(), TreeMap::new, Collectors.toList())))
        .forEach(
            (namespace, services) -> {
              var watch =
                  new NamespaceWatch(
                      loop, client, RandomSource.SYSTEM, namespace, services, watchTime);
              var thread = new Thread(watch, "kubernetes-" + namespace);
              thread.setDaemon(true);
              watches.add(thread);
            });
  }

  /** Starts to watch. */
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
    var kubernetes = new Kubernetes(control, access, zone, targets, watchTime, clock);
    kubernetes.watches.forEach(Thread::start);
    return kubernetes;
  }

  /**
   * Returns the transport to the resources of a target.
   *
   * @param server the server entry of the target; for other servers the result is empty
   */
  public Optional<AdsTransport> transport(XdsServer server) {
    return Optional.ofNullable(publishers.get(server)).map(ServicePublisher::transport);
  }

  @Override
  public void close() {
    watches.forEach(Thread::interrupt);
    client.close();
    clientThread.close();
  }
}

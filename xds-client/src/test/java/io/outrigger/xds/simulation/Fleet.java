package io.outrigger.xds.simulation;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.simulation.SimulatedControlPlane.Mood;
import io.outrigger.xds.stream.AdsClients;
import io.outrigger.xds.stream.AdsObserver;
import io.outrigger.xds.testing.RecordingWatcher;
import io.outrigger.xds.testing.TextResources;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Sidecars with the real XdsClient, each with its own random numbers, over one control plane. Each
 * watches a listener and a cluster.
 */
final class Fleet {
  private static final long SEED = 20261127;
  private static final Duration LIMIT = Duration.ofMinutes(10);

  final FakeControlLoop loop = new FakeControlLoop();
  final SimulatedControlPlane controlPlane = new SimulatedControlPlane(loop);
  private final int sidecars;

  Fleet(int sidecars) {
    this.sidecars = sidecars;
    var seeds = new Random(SEED);
    var decoder = new TextResources();
    var bootstrap =
        new Bootstrap(
            List.of(
                new XdsServer(
                    "fleet",
                    new XdsServer.ChannelCredentials.Insecure(),
                    List.of(),
                    ServerFeatures.NONE)),
            new Node("id", "", new Locality("", "", ""), Map.of()),
            Map.of(),
            Map.of(),
            "%s",
            Optional.empty());
    for (int i = 0; i < sidecars; i++) {
      var random = new Random(seeds.nextLong());
      var clients =
          new AdsClients(
              loop,
              Runnable::run,
              (bound, purpose) -> random.nextLong(bound),
              bootstrap,
              "1",
              decoder,
              server -> controlPlane.transport(),
              AdsObserver.NONE);
      loop.inside(
          () -> {
            var client = clients.of("xds:///a");
            client.watch(ResourceType.LISTENER, "a", new RecordingWatcher<>());
            client.watch(ResourceType.CLUSTER, "c", new RecordingWatcher<>());
          });
    }
    awaitAllCurrent();
  }

  int sidecars() {
    return sidecars;
  }

  /** The control plane is gone for some time; returns how long it then took to reach all. */
  Duration outage(Mood mood, Duration length) {
    controlPlane.fail(mood);
    loop.advance(length);
    controlPlane.comeBack();
    return awaitAllCurrent();
  }

  Duration awaitAllCurrent() {
    Duration step = Duration.ofMillis(100);
    Duration waited = Duration.ZERO;
    while (controlPlane.current() < sidecars && waited.compareTo(LIMIT) < 0) {
      loop.advance(step);
      waited = waited.plus(step);
    }
    return waited;
  }
}

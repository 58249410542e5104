package io.outrigger.xds.simulation;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.base.RpcStatus;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ServerStream;
import io.outrigger.xds.stream.AdsTransport;
import io.outrigger.xds.testing.TextResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A control plane that many clients share: it can be down, slow, or full. */
final class SimulatedControlPlane {
  private static final Duration HALF_ROUND_TRIP = Duration.ofMillis(1);
  private static final RpcStatus REFUSED = RpcStatus.unavailable("connection refused");

  /** The reaction of the server to a new stream. */
  enum Mood {
    ANSWERS,
    /** Ends each stream with RESOURCE_EXHAUSTED before the first response. */
    FULL,
    DOWN
  }

  private final FakeControlLoop loop;
  private final Set<Stream> open = new LinkedHashSet<>();
  private final Map<Long, Integer> attempts = new TreeMap<>(); // by the second
  private final Map<Long, Integer> connects = new TreeMap<>();
  private Mood mood = Mood.ANSWERS;
  private Duration answerTime = Duration.ZERO;
  private long busyUntilNanos;
  private int version = 1;
  private int requests;
  private int repeated;
  private int current; // clients that have acknowledged the version

  SimulatedControlPlane(FakeControlLoop loop) {
    this.loop = loop;
  }

  AdsTransport transport() {
    return new AdsTransport() {
      @Override
      public ServerStream<DiscoveryRequest> open(Listener listener) {
        return new Stream(listener).begin();
      }

      @Override
      public void close() {}

      @Override
      public String name() {
        return "fleet";
      }
    };
  }

  /** Every stream ends, and so does each new one, as {@code next} says. */
  void fail(Mood next) {
    mood = next;
    List<Stream> streams = new ArrayList<>(open);
    open.clear();
    loop.inside(() -> streams.forEach(stream -> stream.listener.onClosed(REFUSED)));
  }

  /** Answers again; what clients have acknowledged before is out of date. */
  void comeBack() {
    mood = Mood.ANSWERS;
    version++;
    current = 0;
    forgetCounts();
  }

  void forgetCounts() {
    attempts.clear();
    connects.clear();
    requests = 0;
    repeated = 0;
  }

  /** From now on the server takes so long for each response, one after the other. */
  void answersIn(Duration time) {
    answerTime = time;
  }

  int current() {
    return current;
  }

  int requests() {
    return requests;
  }

  /** The requests that repeated another of the same stream. */
  int repeated() {
    return repeated;
  }

  int attempts() {
    return attempts.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The most streams that the server accepted within one second. */
  int peakOfConnects() {
    return connects.values().stream().mapToInt(Integer::intValue).max().orElse(0);
  }

  private void count(Map<Long, Integer> bySecond) {
    bySecond.merge(Duration.ofNanos(loop.nanoTime()).toSeconds(), 1, Integer::sum);
  }

  private final class Stream implements ServerStream<DiscoveryRequest> {
    private final AdsTransport.Listener listener;
    private final Set<String> seen = new HashSet<>();
    private final Map<String, String> sent = new HashMap<>(); // the nonce, by type
    private boolean attached;
    private boolean closed;

    Stream(AdsTransport.Listener listener) {
      this.listener = listener;
    }

    Stream begin() {
      count(attempts);
      loop.schedule(HALF_ROUND_TRIP, this::arrive);
      return this;
    }

    private void arrive() {
      if (closed) {
        return;
      }
      if (mood == Mood.ANSWERS) {
        count(connects);
        open.add(this);
        attached = true;
        listener.onReady();
      } else {
        closed = true;
        listener.onClosed(
            mood == Mood.DOWN
                ? REFUSED
                : new RpcStatus(RpcStatus.Code.RESOURCE_EXHAUSTED, "too many clients"));
      }
    }

    @Override
    public void send(DiscoveryRequest request) {
      requests++;
      repeated += seen.add(request.toString()) ? 0 : 1;
      loop.schedule(HALF_ROUND_TRIP.multipliedBy(attached ? 1 : 2), () -> receive(request));
    }

    private void receive(DiscoveryRequest request) {
      if (closed || mood != Mood.ANSWERS) {
        return;
      }
      if (!request.getResponseNonce().isEmpty()
          && request.getTypeUrl().equals(ResourceType.CLUSTER.typeUrl())
          && request.getVersionInfo().equals(String.valueOf(version))) {
        current++;
      }
      if (!request.getResponseNonce().isEmpty() || sent.containsKey(request.getTypeUrl())) {
        return; // an ACK, or names that were asked for before the answer
      }
      sent.put(request.getTypeUrl(), "n" + version);
      busyUntilNanos = Math.max(busyUntilNanos, loop.nanoTime()) + answerTime.toNanos();
      loop.schedule(
          Duration.ofNanos(busyUntilNanos - loop.nanoTime()).plus(HALF_ROUND_TRIP),
          () -> respond(request));
    }

    private void respond(DiscoveryRequest request) {
      if (closed || !open.contains(this)) {
        return;
      }
      var response =
          DiscoveryResponse.newBuilder()
              .setTypeUrl(request.getTypeUrl())
              .setVersionInfo(String.valueOf(version))
              .setNonce("n" + version);
      for (ResourceType<?> type : ResourceType.ALL) {
        if (type.typeUrl().equals(request.getTypeUrl())) {
          for (String name : request.getResourceNamesList()) {
            Any resource = TextResources.resource(type, name, "v" + version);
            response.addResources(resource);
          }
        }
      }
      listener.onResponse(response.build());
    }

    @Override
    public boolean isReady() {
      return attached;
    }

    @Override
    public void requestNext() {}

    @Override
    public void close() {
      closed = true;
      open.remove(this);
    }
  }
}

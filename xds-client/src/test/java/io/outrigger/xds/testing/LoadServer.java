package io.outrigger.xds.testing;

import com.google.protobuf.util.Durations;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterStats;
import io.envoyproxy.envoy.config.endpoint.v3.UpstreamLocalityStats;
import io.envoyproxy.envoy.service.load_stats.v3.LoadReportingServiceGrpc.LoadReportingServiceImplBase;
import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsRequest;
import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsResponse;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Takes load reports over real gRPC, as part of whichever server it is added to, and remembers
 * them. It asks for what the test says, breaks streams, says nothing, or refuses every stream. Any
 * thread.
 */
public final class LoadServer extends LoadReportingServiceImplBase {
  private final List<Stream> streams = new CopyOnWriteArrayList<>();
  private volatile Optional<LoadStatsResponse> wishes = Optional.empty();
  private volatile Optional<Status> refusal = Optional.empty();

  /** What was reported of a cluster in all reports together; in progress is what the last said. */
  public record Totals(
      long issued,
      long succeeded,
      long failed,
      long inProgress,
      long dropped,
      Map<String, Long> drops) {}

  /** Asks open streams, and those to come, for all clusters. */
  public LoadServer askForAll(Duration interval) {
    return ask(LoadStatsResponse.newBuilder().setSendAllClusters(true), interval);
  }

  /** Asks open streams, and those to come, for these clusters. */
  public LoadServer askFor(Duration interval, String... clusters) {
    return ask(LoadStatsResponse.newBuilder().addAllClusters(List.of(clusters)), interval);
  }

  private LoadServer ask(LoadStatsResponse.Builder asked, Duration interval) {
    LoadStatsResponse response =
        asked.setLoadReportingInterval(Durations.fromMillis(interval.toMillis())).build();
    wishes = Optional.of(response);
    streams.forEach(stream -> stream.send(response));
    return this;
  }

  /** Ends new streams with {@code status}; empty when it takes them again. */
  public LoadServer refuseWith(Optional<Status> status) {
    refusal = status;
    return this;
  }

  /** Breaks every open stream. */
  public LoadServer breakStreams() {
    streams.forEach(stream -> stream.end(Status.UNAVAILABLE));
    return this;
  }

  /** How many streams were ever opened, refused ones as well. */
  public int streams() {
    return streams.size();
  }

  /** How many are open. */
  public long openStreams() {
    return streams.stream().filter(stream -> !stream.over).count();
  }

  /** What a client has sent on all its streams, in order. */
  public List<LoadStatsRequest> requests(String node) {
    return streams.stream()
        .filter(stream -> stream.node.equals(node))
        .flatMap(stream -> stream.requests.stream())
        .toList();
  }

  /** Every report of a cluster that a client sent. */
  public List<ClusterStats> reports(String node, String cluster) {
    return requests(node).stream()
        .flatMap(request -> request.getClusterStatsList().stream())
        .filter(stats -> stats.getClusterName().equals(cluster))
        .toList();
  }

  /** What a client reported of a cluster. */
  public Totals totals(String node, String cluster) {
    long issued = 0;
    long succeeded = 0;
    long failed = 0;
    long inProgress = 0;
    long dropped = 0;
    Map<String, Long> drops = new TreeMap<>();
    for (ClusterStats stats : reports(node, cluster)) {
      inProgress = 0;
      for (UpstreamLocalityStats locality : stats.getUpstreamLocalityStatsList()) {
        issued += locality.getTotalIssuedRequests();
        succeeded += locality.getTotalSuccessfulRequests();
        failed += locality.getTotalErrorRequests();
        inProgress += locality.getTotalRequestsInProgress();
      }
      dropped += stats.getTotalDroppedRequests();
      stats
          .getDroppedRequestsList()
          .forEach(drop -> drops.merge(drop.getCategory(), drop.getDroppedCount(), Long::sum));
    }
    return new Totals(issued, succeeded, failed, inProgress, dropped, drops);
  }

  @Override
  public StreamObserver<LoadStatsRequest> streamLoadStats(
      StreamObserver<LoadStatsResponse> responses) {
    var stream = new Stream((ServerCallStreamObserver<LoadStatsResponse>) responses);
    streams.add(stream);
    refusal.ifPresent(stream::end);
    return stream;
  }

  /** One client's stream. */
  private final class Stream implements StreamObserver<LoadStatsRequest> {
    private final ServerCallStreamObserver<LoadStatsResponse> responses;
    private final List<LoadStatsRequest> requests = new CopyOnWriteArrayList<>();
    private volatile String node = "";
    private volatile boolean over;
    private @Nullable LoadStatsResponse sent; // guarded by this

    Stream(ServerCallStreamObserver<LoadStatsResponse> responses) {
      this.responses = responses;
      responses.setOnCancelHandler(() -> over = true);
    }

    @Override
    public void onNext(LoadStatsRequest request) {
      if (request.hasNode()) {
        node = request.getNode().getId();
      }
      requests.add(request);
      if (requests.size() == 1) {
        wishes.ifPresent(this::send);
      }
    }

    synchronized void send(LoadStatsResponse response) {
      if (!over && !requests.isEmpty() && !response.equals(sent)) {
        sent = response;
        responses.onNext(response);
      }
    }

    synchronized void end(Status status) {
      if (!over) {
        over = true;
        responses.onError(status.asException());
      }
    }

    @Override
    public void onError(Throwable error) {
      over = true;
    }

    @Override
    public synchronized void onCompleted() {
      if (!over) {
        over = true;
        responses.onCompleted();
      }
    }
  }
}

package io.outrigger.oracle;

import com.google.common.base.Stopwatch;
import com.google.common.base.Ticker;
import com.google.protobuf.Any;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.InsecureChannelCredentials;
import io.grpc.Status;
import io.grpc.StatusOr;
import io.grpc.xds.client.Bootstrapper;
import io.grpc.xds.client.EnvoyProtoData;
import io.grpc.xds.client.XdsClient;
import io.grpc.xds.client.XdsClientImpl;
import io.grpc.xds.client.XdsClientMetricReporter;
import io.grpc.xds.client.XdsResourceType;
import io.outrigger.oracle.Story.Step;
import io.outrigger.testing.FakeControlLoop;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** gRPC's own client, likewise without a network and on the story's clock. */
final class GrpcStoryClient implements StoryClient {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final Map<String, Watched> seen = new TreeMap<>();
  private final Map<String, Watcher> watchers = new HashMap<>();
  private final XdsClientImpl client;
  private final FakeXdsTransport transport = new FakeXdsTransport(request -> {});
  private int responses;

  GrpcStoryClient(boolean failOnDataErrors, boolean transientTimer) {
    var server =
        Bootstrapper.ServerInfo.create(
            "cp",
            InsecureChannelCredentials.create(),
            false,
            false,
            transientTimer,
            failOnDataErrors);
    var ticker =
        new Ticker() {
          @Override
          public long read() {
            return loop.nanoTime();
          }
        };
    client =
        new XdsClientImpl(
            transport,
            Bootstrapper.BootstrapInfo.builder()
                .servers(List.of(server))
                .node(EnvoyProtoData.Node.newBuilder().setId("n").build())
                .build(),
            new LoopScheduler(loop),
            GrpcStoryClient::backoff,
            () -> Stopwatch.createUnstarted(ticker),
            loop::nanoTime,
            message -> "",
            new Object(),
            new XdsClientMetricReporter() {});
  }

  /** The ladder without jitter, as our client has it here. */
  private static io.grpc.internal.BackoffPolicy backoff() {
    var next = new double[] {1e9};
    return () -> {
      double nanos = next[0];
      next[0] = Math.min(nanos * 1.6, 120e9);
      return (long) nanos;
    };
  }

  @Override
  public void apply(Step step) {
    loop.inside(() -> happen(step));
    if (step instanceof Step.Pass pass) {
      loop.advance(pass.time());
    }
  }

  private void happen(Step step) {
    if (step instanceof Step.Watch watch) {
      String key = watch.type() + " " + watch.name();
      if (!seen.containsKey(key)) {
        var watcher = new Watcher(typeOf(watch.type()), watch.name(), new Watched());
        seen.put(key, watcher.watched());
        watchers.put(key, watcher);
        client.watchXdsResource(watcher.type(), watch.name(), watcher, Runnable::run);
      }
    } else if (step instanceof Step.Leave leave) {
      String key = leave.type() + " " + leave.name();
      Watcher watcher = watchers.remove(key);
      if (watcher != null) {
        seen.remove(key);
        client.cancelXdsResourceWatch(watcher.type(), leave.name(), watcher);
      }
    } else if (step instanceof Step.Attach) {
      transport.attach();
    } else if (step instanceof Step.Respond respond) {
      transport.respond(response(respond));
    } else if (step instanceof Step.End end) {
      transport.end(end.clean() ? Status.OK : Status.UNAVAILABLE.withDescription("no"));
    }
  }

  private DiscoveryResponse response(Step.Respond respond) {
    return DiscoveryResponse.newBuilder()
        .setTypeUrl(typeOf(respond.type()).typeUrl())
        .setVersionInfo("1")
        .setNonce("n" + ++responses)
        .addAllResources(List.<Any>of(StoryResources.of(respond)))
        .build();
  }

  @Override
  public Map<String, String> seen() {
    Map<String, String> all = new TreeMap<>();
    seen.forEach((key, watched) -> all.put(key, watched.toString()));
    return all;
  }

  @Override
  public boolean hasStream() {
    return transport.hasStream();
  }

  private static Type typeOf(Story.Type type) {
    return type == Story.Type.CLUSTER ? Type.CLUSTERS : Type.ENDPOINTS;
  }

  private record Content(String text) implements XdsClient.ResourceUpdate {}

  private record Watcher(Type type, String name, Watched watched)
      implements XdsClient.ResourceWatcher<Content> {
    @Override
    public void onResourceChanged(StatusOr<Content> update) {
      if (update.hasValue()) {
        watched.uses(update.getValue().text());
      } else {
        watched.fails();
      }
    }

    @Override
    public void onAmbientError(Status status) {
      watched.noted(!status.isOk());
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  /** A type whose resources hold nothing but a content. */
  private static final class Type extends XdsResourceType<Content> {
    static final Type CLUSTERS = new Type(Cluster.getDefaultInstance(), "CDS", true);
    static final Type ENDPOINTS =
        new Type(ClusterLoadAssignment.getDefaultInstance(), "EDS", false);

    private final Message sample;
    private final String name;
    private final boolean complete;

    private Type(Message sample, String name, boolean complete) {
      this.sample = sample;
      this.name = name;
      this.complete = complete;
    }

    @Override
    protected Class<? extends Message> unpackedClassName() {
      return sample.getClass();
    }

    @Override
    public String typeName() {
      return name;
    }

    @Override
    public String typeUrl() {
      return "type.googleapis.com/" + sample.getDescriptorForType().getFullName();
    }

    @Override
    public boolean shouldRetrieveResourceKeysForArgs() {
      return !complete;
    }

    @Override
    protected boolean isFullStateOfTheWorld() {
      return complete;
    }

    @Override
    protected String extractResourceName(Message message) {
      return message instanceof Cluster cluster
          ? cluster.getName()
          : ((ClusterLoadAssignment) message).getClusterName();
    }

    @Override
    protected Content doParse(Args args, Message message) throws ResourceInvalidException {
      String content =
          message instanceof Cluster cluster
              ? StoryResources.content(cluster)
              : StoryResources.content((ClusterLoadAssignment) message);
      if (content.startsWith("!")) {
        throw new ResourceInvalidException(content);
      }
      return new Content(content);
    }
  }
}

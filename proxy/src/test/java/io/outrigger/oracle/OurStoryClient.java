package io.outrigger.oracle;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.oracle.Story.Step;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.Decoded;
import io.outrigger.xds.stream.AdsClients;
import io.outrigger.xds.stream.AdsObserver;
import io.outrigger.xds.stream.ResponseDecoder;
import io.outrigger.xds.testing.FakeAdsTransport;
import io.outrigger.xds.testing.Resources;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Our client, without a network and on a clock that only the story moves. */
final class OurStoryClient implements StoryClient {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final FakeAdsTransport server = new FakeAdsTransport(loop);
  private final Map<String, Watched> seen = new TreeMap<>();
  private final Map<String, XdsClient.Watch> watches = new HashMap<>();
  private final AdsClients clients;
  private final XdsClient client;
  private Optional<FakeAdsTransport.Stream> attached = Optional.empty();

  OurStoryClient(boolean failOnDataErrors, boolean transientTimer) {
    var features = new ServerFeatures(false, failOnDataErrors, transientTimer);
    var cp = new XdsServer("cp", new XdsServer.ChannelCredentials.Insecure(), List.of(), features);
    var node = new Node("n", "", new Locality("", "", ""), Map.of());
    clients =
        new AdsClients(
            loop,
            Runnable::run,
            (bound, purpose) -> bound / 2,
            new Bootstrap(List.of(cp), node, Map.of(), Map.of(), "%s", Optional.empty()),
            "1",
            new ContentDecoder(),
            of -> server,
            AdsObserver.NONE);
    client = clients.of("xds:///target");
  }

  @Override
  public void apply(Step step) {
    if (step instanceof Step.Watch watch) {
      String key = watch.type() + " " + watch.name();
      if (!seen.containsKey(key)) {
        var watched = new Watched();
        seen.put(key, watched);
        loop.inside(() -> watches.put(key, watch(watch, watched)));
      }
    } else if (step instanceof Step.Leave leave) {
      String key = leave.type() + " " + leave.name();
      XdsClient.Watch watch = watches.remove(key);
      if (watch != null) {
        seen.remove(key);
        loop.inside(watch::close);
      }
    } else if (step instanceof Step.Attach) {
      open()
          .filter(stream -> !attached.equals(Optional.of(stream)))
          .ifPresent(
              stream -> {
                attached = Optional.of(stream);
                stream.ready();
              });
    } else if (step instanceof Step.Respond respond) {
      open()
          .filter(stream -> attached.equals(Optional.of(stream)))
          .ifPresent(
              stream -> stream.respond(typeOf(respond.type()), "1", StoryResources.of(respond)));
    } else if (step instanceof Step.End end) {
      open().ifPresent(s -> s.closeWith(end.clean() ? RpcStatus.OK : RpcStatus.unavailable("no")));
    } else if (step instanceof Step.Pass pass) {
      loop.advance(pass.time());
    }
  }

  private XdsClient.Watch watch(Step.Watch watch, Watched watched) {
    return watch.type() == Story.Type.CLUSTER
        ? client.watch(ResourceType.CLUSTER, watch.name(), new Watcher<>(watched))
        : client.watch(ResourceType.ENDPOINT, watch.name(), new Watcher<>(watched));
  }

  private Optional<FakeAdsTransport.Stream> open() {
    List<FakeAdsTransport.Stream> open = server.openStreams();
    return open.isEmpty() ? Optional.empty() : Optional.of(open.get(open.size() - 1));
  }

  @Override
  public Map<String, String> seen() {
    Map<String, String> all = new TreeMap<>();
    seen.forEach((key, watched) -> all.put(key, watched.toString()));
    return all;
  }

  @Override
  public boolean hasStream() {
    return open().isPresent();
  }

  /** Whether the control plane counts as unreachable: from a failure to the next response. */
  boolean isOutage() {
    var outage = new AtomicBoolean();
    loop.inside(
        () -> {
          var server = clients.status().servers().get(0);
          outage.set(server.failures() > 0 && !server.connected());
        });
    return outage.get();
  }

  private static ResourceType<?> typeOf(Story.Type type) {
    return type == Story.Type.CLUSTER ? ResourceType.CLUSTER : ResourceType.ENDPOINT;
  }

  private record Watcher<T>(Watched watched) implements ResourceWatcher<T> {
    @Override
    public void onChanged(Outcome<T> resource) {
      if (resource instanceof Outcome.Ok<T> ok) {
        watched.uses(
            ok.value() instanceof ClusterResource cluster
                ? ((ClusterSource.Eds) cluster.source()).serviceName()
                : ((EndpointSet) ok.value()).name());
      } else {
        watched.fails();
      }
    }

    @Override
    public void onAmbientError(RpcStatus status) {
      watched.noted(!status.isOk());
    }
  }

  /** Resources that hold nothing but a content. */
  private static final class ContentDecoder implements ResponseDecoder {
    @Override
    public <T> Decoded<T> decode(ResourceType<T> type, List<Any> resources, DecodeContext context) {
      Map<String, Decoded.Valid<T>> valid = new LinkedHashMap<>();
      Map<String, Decoded.Invalid> invalid = new LinkedHashMap<>();
      for (Any any : resources) {
        var raw = new RawResource(any.getTypeUrl(), any.getValue().toByteArray());
        String name;
        String content;
        try {
          if (type.equals(ResourceType.CLUSTER)) {
            Cluster cluster = Cluster.parseFrom(any.getValue());
            name = cluster.getName();
            content = StoryResources.content(cluster);
          } else {
            var endpoints = ClusterLoadAssignment.parseFrom(any.getValue());
            name = endpoints.getClusterName();
            content = StoryResources.content(endpoints);
          }
        } catch (InvalidProtocolBufferException e) {
          throw new AssertionError(e);
        }
        if (content.startsWith("!")) {
          invalid.put(name, Decoded.Invalid.of(raw, content));
        } else {
          Object value =
              type.equals(ResourceType.CLUSTER)
                  ? Resources.eds(name, content)
                  : Resources.endpoints(content);
          valid.put(name, new Decoded.Valid<>(type.valueType().cast(value), raw));
        }
      }
      return new Decoded<>(valid, invalid, List.of());
    }
  }
}

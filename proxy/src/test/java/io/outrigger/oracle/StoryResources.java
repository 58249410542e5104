package io.outrigger.oracle;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;

/** The resources of a story: a name, and a content in a field that means nothing else here. */
final class StoryResources {
  private StoryResources() {}

  static Any[] of(Story.Step.Respond respond) {
    return respond.resources().entrySet().stream()
        .map(
            entry ->
                Any.pack(
                    respond.type() == Story.Type.CLUSTER
                        ? cluster(entry.getKey(), entry.getValue())
                        : endpoints(entry.getKey(), entry.getValue())))
        .toArray(Any[]::new);
  }

  private static Message cluster(String name, String content) {
    return Cluster.newBuilder().setName(name).setAltStatName(content).build();
  }

  private static Message endpoints(String name, String content) {
    return ClusterLoadAssignment.newBuilder()
        .setClusterName(name)
        .putNamedEndpoints(content, Endpoint.getDefaultInstance())
        .build();
  }

  static String content(Cluster cluster) {
    return cluster.getAltStatName();
  }

  static String content(ClusterLoadAssignment endpoints) {
    return endpoints.getNamedEndpointsMap().keySet().iterator().next();
  }
}

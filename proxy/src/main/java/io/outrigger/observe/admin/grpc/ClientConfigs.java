package io.outrigger.observe.admin.grpc;

import com.google.protobuf.Timestamp;
import io.envoyproxy.envoy.admin.v3.ClientResourceStatus;
import io.envoyproxy.envoy.admin.v3.UpdateFailureState;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.status.v3.ClientConfig;
import io.envoyproxy.envoy.service.status.v3.ClientConfig.GenericXdsConfig;
import io.envoyproxy.envoy.service.status.v3.ClientStatusResponse;
import io.outrigger.xds.cache.CacheEntry.DataError;
import io.outrigger.xds.decode.Redaction;
import io.outrigger.xds.status.XdsStatusView;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * Converts a view of the xDS clients to CSDS messages (A40, A88 "Cache Entry States").
 *
 * @param node returns the node as the control plane receives it
 */
record ClientConfigs(Supplier<Node> node) {
  /**
   * Returns one {@code ClientConfig} per xDS client. The scope is the client's target if the client
   * serves only that target (A71).
   */
  ClientStatusResponse response(XdsStatusView view, boolean withContents) {
    var response = ClientStatusResponse.newBuilder();
    for (XdsStatusView.Client client : view.clients()) {
      var config = ClientConfig.newBuilder().setNode(node.get()).setClientScope(client.scope());
      client
          .resources()
          .forEach(resource -> config.addGenericXdsConfigs(resource(resource, withContents)));
      response.addConfig(config);
    }
    return response.build();
  }

  private static GenericXdsConfig resource(XdsStatusView.Resource resource, boolean withContents) {
    var config =
        GenericXdsConfig.newBuilder()
            .setTypeUrl(resource.typeUrl())
            .setName(resource.name())
            .setVersionInfo(resource.version())
            .setClientStatus(ClientResourceStatus.valueOf(resource.clientStatus()));
    resource.lastUpdated().ifPresent(at -> config.setLastUpdated(timestamp(at)));
    resource.error().ifPresent(error -> config.setErrorState(error(error, withContents)));
    if (withContents) {
      resource.raw().ifPresent(raw -> config.setXdsConfig(Redaction.of(raw)));
    }
    return config.build();
  }

  private static UpdateFailureState error(DataError error, boolean withContents) {
    var state =
        UpdateFailureState.newBuilder()
            .setLastUpdateAttempt(timestamp(error.at()))
            .setDetails(error.status().message())
            .setVersionInfo(error.version());
    if (withContents) {
      error.refused().ifPresent(raw -> state.setFailedConfiguration(Redaction.of(raw)));
    }
    return state.build();
  }

  private static Timestamp timestamp(Instant at) {
    return Timestamp.newBuilder().setSeconds(at.getEpochSecond()).setNanos(at.getNano()).build();
  }
}

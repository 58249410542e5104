package io.outrigger.xds.stream;

import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.outrigger.xds.decode.SecretNames;
import io.outrigger.xds.decode.WireNode;

/** Shows operators the node that the control plane receives, without its secrets. */
public final class NodeMessage {
  private NodeMessage() {}

  /**
   * Returns the node without the values of metadata whose names mark them as secret.
   *
   * @param version the version of this program
   */
  public static Node shown(io.outrigger.config.bootstrap.Node node, String version) {
    try {
      Node whole = Node.parseFrom(WireNode.of(node, version).bytes());
      return whole.toBuilder().setMetadata(SecretNames.withoutSecrets(whole.getMetadata())).build();
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("what was written is a node", e);
    }
  }
}

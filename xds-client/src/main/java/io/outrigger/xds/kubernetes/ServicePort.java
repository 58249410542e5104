package io.outrigger.xds.kubernetes;

import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import java.util.List;
import java.util.OptionalInt;

/**
 * A port of a Kubernetes Service.
 *
 * @param port the name of the port, or the number on which the pods listen
 */
public record ServicePort(String service, String namespace, String port) {
  public OptionalInt number() {
    boolean isNumber = port.chars().allMatch(c -> c >= '0' && c <= '9');
    return isNumber ? OptionalInt.of(Integer.parseInt(port)) : OptionalInt.empty();
  }

  /**
   * Returns the {@code :authority} of calls to this port. The result omits the name of a port,
   * because the port of an authority is a number (RFC 3986 section 3.2.3).
   */
  public String authority() {
    return service + "." + namespace + (number().isPresent() ? ":" + port : "");
  }

  /** Returns the server that takes the place of a control plane; status views show its name. */
  public XdsServer server() {
    return new XdsServer(
        toString(),
        new XdsServer.ChannelCredentials.Insecure(),
        List.of(),
        // Endpoints of a deleted Service are no longer used.
        new ServerFeatures(false, /* failOnDataErrors= */ true, false));
  }

  /** Returns the name of the target; its resources have this name too. */
  @Override
  public String toString() {
    return "k8s:///" + service + "." + namespace + ":" + port;
  }
}

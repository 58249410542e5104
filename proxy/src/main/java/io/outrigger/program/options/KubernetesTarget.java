package io.outrigger.program.options;

import io.outrigger.base.AnyThread;
import io.outrigger.xds.kubernetes.ServicePort;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The target {@code k8s:///service.namespace:port}: the endpoints of a Kubernetes Service. */
@AnyThread
public record KubernetesTarget(ServicePort port) implements Target.Single {
  static final String SCHEME = "k8s:";

  private static final String LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"; // RFC 1123
  private static final Pattern FORM =
      Pattern.compile("(?i:k8s):(?:///)?(" + LABEL + ")\\.(" + LABEL + "):(" + LABEL + ")");
  private static final Pattern CLUSTER_NAME =
      Pattern.compile("(.*)\\.svc(?:\\.[a-z0-9.-]+)?(:.*)?");
  private static final Pattern NUMBER = Pattern.compile("[0-9]+");
  private static final int MAX_PORT = 65_535;

  /**
   * Reads {@code k8s:///orders.shop:8080}, with a number or a name as the port.
   *
   * @throws IllegalArgumentException with the reason, when {@code text} is not such a target
   */
  static KubernetesTarget parse(String text) {
    Matcher dnsName = CLUSTER_NAME.matcher(text);
    if (dnsName.matches()) {
      throw wrong(
          text,
          "leave out what follows the namespace: "
              + dnsName.group(1)
              + (dnsName.group(2) == null ? "" : dnsName.group(2)));
    }
    Matcher parts = FORM.matcher(text);
    if (!parts.matches()) {
      throw wrong(
          text, "it needs a service, its namespace and a port, each in small letters and digits");
    }
    String port = parts.group(3);
    if (NUMBER.matcher(port).matches()) {
      int number = port.length() > 5 ? 0 : Integer.parseInt(port);
      if (number < 1 || number > MAX_PORT) {
        throw wrong(text, "\"" + port + "\" is not a port from 1 to " + MAX_PORT);
      }
      port = Integer.toString(number);
    }
    return new KubernetesTarget(new ServicePort(parts.group(1), parts.group(2), port));
  }

  private static IllegalArgumentException wrong(String text, String reason) {
    return new IllegalArgumentException(
        "\"" + text + "\" is not a target such as k8s:///orders.shop:8080: " + reason);
  }

  @Override
  public String forwardName() {
    return port.authority();
  }

  @Override
  public String dataPlaneAuthority() {
    return port.authority();
  }

  @Override
  public String toString() {
    return port.toString();
  }
}

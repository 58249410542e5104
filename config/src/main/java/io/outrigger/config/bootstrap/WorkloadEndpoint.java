package io.outrigger.config.bootstrap;

import io.outrigger.base.IpAddress;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import java.net.URI;
import java.net.URISyntaxException;

/** The address of the SPIFFE Workload API as a URI and as a gRPC target. */
public record WorkloadEndpoint(String uri, String target) {
  public static final String VARIABLE = "SPIFFE_ENDPOINT_SOCKET";

  private static final String FORMS =
      "give unix:///path/of/the/socket or tcp://address:port, the address as numbers";

  /** Parses an endpoint's URI. Failure messages omit the URI, which the caller adds. */
  public static Outcome<WorkloadEndpoint> parse(String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException notUri) {
      return wrong("is not a URI; " + FORMS);
    }
    String scheme = String.valueOf(uri.getScheme());
    boolean isBare =
        uri.getUserInfo() == null && uri.getQuery() == null && uri.getFragment() == null;
    if (scheme.equals("unix") && isBare) {
      boolean isAbsolute = uri.getPath() != null && uri.getPath().length() > 1;
      return uri.getAuthority() == null && isAbsolute
          ? Outcome.ok(new WorkloadEndpoint(text, "unix://" + uri.getRawPath()))
          : wrong("has no absolute path; " + FORMS);
    }
    if (scheme.equals("tcp") && isBare) {
      return tcp(text, uri);
    }
    return wrong("is of another form; " + FORMS);
  }

  private static Outcome<WorkloadEndpoint> tcp(String text, URI uri) {
    String host = String.valueOf(uri.getHost()).replaceAll("[\\[\\]]", "");
    boolean hasPath = uri.getPath() != null && !uri.getPath().isEmpty();
    if (IpAddress.canonical(host).isEmpty() || !EndpointAddress.isPort(uri.getPort()) || hasPath) {
      return wrong("is no address with a port from 1 to 65535; " + FORMS);
    }
    return Outcome.ok(new WorkloadEndpoint(text, "dns:///" + uri.getHost() + ":" + uri.getPort()));
  }

  private static Outcome<WorkloadEndpoint> wrong(String reason) {
    return Outcome.failed(RpcStatus.unavailable(reason));
  }
}

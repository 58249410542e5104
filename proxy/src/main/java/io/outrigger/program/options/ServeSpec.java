package io.outrigger.program.options;

import static io.outrigger.program.options.Problems.require;

import io.outrigger.base.IpAddress;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.downstream.ListenAddress;
import java.util.Set;

/**
 * The value of {@code --serve}: an address for callers from the mesh, and the address of the app.
 *
 * @param listen contains an IP address and a port, as the user wrote them, since the name of the
 *     Listener contains this text (A36)
 */
public record ServeSpec(String name, ListenAddress.Tcp listen, ListenAddress app) {
  private static final Set<String> LOCAL_HOSTS =
      Set.of("localhost", ListenAddress.LOOPBACK, "::1", "0.0.0.0", "::");

  /**
   * Reads {@code [NAME@]LISTEN=APP}; the default name is LISTEN.
   *
   * @throws IllegalArgumentException with the reason, when the text is malformed
   */
  static ServeSpec parse(String text) {
    String quoted = "\"" + text + "\"";
    int equals = text.indexOf('=');
    require(equals >= 0, quoted + " has no app; write it as 0.0.0.0:8080=127.0.0.1:9090");
    String left = text.substring(0, equals);
    int at = left.indexOf('@');
    require(at != 0, quoted + " has an empty name before the @");
    ListenAddress.Tcp listen = listen(quoted, left.substring(at + 1));
    ListenAddress app = ListenAddress.parse(text.substring(equals + 1));
    if (app instanceof ListenAddress.Tcp tcp) {
      require(tcp.port() != 0, quoted + ": the app has port 0; give the port it listens on");
      boolean isSelf =
          tcp.equals(listen) || (tcp.collidesWith(listen) && LOCAL_HOSTS.contains(tcp.host()));
      require(
          !isSelf, quoted + ": the app would be the served address itself; give it another port");
    }
    return new ServeSpec(at < 0 ? listen.toString() : left.substring(0, at), listen, app);
  }

  private static ListenAddress.Tcp listen(String quoted, String text) {
    require(
        text.indexOf(':') >= 0,
        quoted + ": the IP address is missing; write it as 0.0.0.0:" + text);
    ListenAddress.Tcp listen = ListenAddress.parseTcp(text);
    require(
        IpAddress.canonical(listen.host()).isPresent(),
        "%s: \"%s\" is not an IP address; write it as 0.0.0.0:%d or with the pod's address"
            .formatted(quoted, listen.host(), listen.port()));
    require(
        listen.port() != 0,
        quoted + ": port 0 cannot be served; give the port that the control plane knows");
    return listen;
  }

  /** Returns the served address, with its IP address in canonical form. */
  public EndpointAddress address() {
    return new EndpointAddress(
        IpAddress.canonical(listen.host()).orElse(listen.host()), listen.port());
  }

  /** Returns the served address in the form of the command line. */
  @Override
  public String toString() {
    return name + "@" + listen + "=" + app;
  }
}

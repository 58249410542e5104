package io.outrigger.program.options;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.ListenerNames;
import io.outrigger.dataplane.downstream.ListenAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Reads {@code --forward} and {@code --serve}, and checks that names and addresses are unique. No
 * two ports may have the same address, and no two values of a flag may have the same name.
 */
final class PortsReader {
  private final GivenFlags settings;
  private final Problems problems;
  private final List<ForwardSpec> forwards = new ArrayList<>();
  private final List<ServeSpec> serves = new ArrayList<>();

  /** The addresses in use, each with the flag that uses the address; messages name the flag. */
  private final List<Map.Entry<ListenAddress, String>> reserved = new ArrayList<>();

  PortsReader(GivenFlags settings, Problems problems) {
    this.settings = settings;
    this.problems = problems;
  }

  void read() {
    if (settings.values(Flag.FORWARD).isEmpty() && settings.values(Flag.SERVE).isEmpty()) {
      problems.add(
          settings.origin(Flag.FORWARD),
          "is missing; give at least one, such as --forward 9001=xds:///orders, or a --serve");
    }
    read(Flag.FORWARD, ForwardSpec::parse, ForwardSpec::name, ForwardSpec::listen, forwards);
    read(Flag.SERVE, ServeSpec::parse, ServeSpec::name, ServeSpec::listen, serves);
  }

  List<ForwardSpec> forwards() {
    return forwards;
  }

  List<ServeSpec> serves() {
    return serves;
  }

  private <T> void read(
      Flag flag,
      Function<String, T> parser,
      Function<T, String> name,
      Function<T, ListenAddress> listen,
      List<T> all) {
    String origin = settings.origin(flag);
    Map<String, String> names = new HashMap<>();
    for (String text : settings.values(flag)) {
      problems
          .parse(origin, text, parser)
          .ifPresent(
              port -> {
                String other = names.putIfAbsent(name.apply(port), text);
                if (other != null) {
                  problems.add(
                      origin,
                      "\"%s\" has the same name as \"%s\"; give it another name, as NAME@%s"
                          .formatted(text, other, text.substring(text.indexOf('@') + 1)));
                }
                reserve(origin, "\"" + text + "\"", listen.apply(port));
                all.add(port);
              });
    }
  }

  void reserve(String origin, String subject, ListenAddress address) {
    for (Map.Entry<ListenAddress, String> other : reserved) {
      if (other.getKey().collidesWith(address)) {
        problems.add(
            origin,
            "%s: %s is taken by %s; choose another address"
                .formatted(subject, address, other.getValue()));
        return;
      }
    }
    reserved.add(Map.entry(address, subject));
  }

  boolean needsControlPlane() {
    return !serves.isEmpty()
        || forwards.stream().anyMatch(forward -> forward.target().ownServer().isEmpty());
  }

  /**
   * Checks that the bootstrap names a Listener for each target and for each served address.
   *
   * @throws InvalidInput with one line for each target whose Listener has no name, and one line if
   *     the Listeners of served addresses have no name
   */
  void checkNames(Bootstrap bootstrap) throws InvalidInput {
    var unknown = new Problems();
    for (ForwardSpec forward : forwards) {
      RpcStatus status = forward.target().listener(bootstrap).status();
      if (!status.isOk()) {
        unknown.add(
            settings.origin(Flag.FORWARD), "\"" + forward.target() + "\": " + status.message());
      }
    }
    serves.stream()
        .map(serve -> ListenerNames.ofServer(bootstrap, serve.listen().toString()).status())
        .filter(status -> !status.isOk())
        .findFirst() // the bootstrap causes the error, so one line is enough for all addresses
        .ifPresent(status -> unknown.add(settings.origin(Flag.SERVE), status.message()));
    unknown.throwIfAny();
  }
}

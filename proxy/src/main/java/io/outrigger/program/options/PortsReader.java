package io.outrigger.program.options;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.ListenerNames;
import io.outrigger.dataplane.downstream.ListenAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads {@code --forward}, and checks that names and addresses are unique. */
final class ForwardsReader {
  private final GivenFlags settings;
  private final Problems problems;
  private final List<ForwardSpec> forwards = new ArrayList<>();

  /** The addresses in use, with the name of each user in messages. */
  private final List<Map.Entry<ListenAddress, String>> taken = new ArrayList<>();

  ForwardsReader(GivenFlags settings, Problems problems) {
    this.settings = settings;
    this.problems = problems;
  }

  List<ForwardSpec> read() {
    String origin = settings.origin(Flag.FORWARD);
    Map<String, String> names = new HashMap<>();
    List<String> values = values();
    if (values.isEmpty()) {
      problems.add(origin, "is missing; give at least one, such as --forward 9001=xds:///orders");
    }
    for (String text : values) {
      try {
        ForwardSpec forward = ForwardSpec.parse(text);
        String other = names.putIfAbsent(forward.name(), text);
        if (other != null) {
          problems.add(
              origin,
              "\"%s\" has the name of \"%s\"; give it one of its own as NAME@%s"
                  .formatted(text, other, text.substring(text.indexOf('@') + 1)));
        }
        take(origin, "\"" + text + "\"", forward.listen());
        forwards.add(forward);
      } catch (IllegalArgumentException e) {
        problems.add(origin, String.valueOf(e.getMessage()));
      }
    }
    return forwards;
  }

  /** Records that {@code subject} listens on {@code address}. */
  void take(String origin, String subject, ListenAddress address) {
    for (Map.Entry<ListenAddress, String> other : taken) {
      if (other.getKey().collidesWith(address)) {
        problems.add(
            origin,
            "%s: %s is taken by %s; choose another address"
                .formatted(subject, address, other.getValue()));
        return;
      }
    }
    taken.add(Map.entry(address, subject));
  }

  private List<String> values() {
    return settings.get(Flag.FORWARD).map(GivenFlags.Given::values).orElse(List.of());
  }

  /**
   * Whether a control plane is needed. No control plane is needed when all targets have the dns
   * scheme, even if the rest of a target is wrong.
   */
  boolean needControlPlane() {
    return values().isEmpty() || !values().stream().allMatch(ForwardSpec::isForDns);
  }

  /**
   * Checks that {@code bootstrap} gives the name of a Listener to each target.
   *
   * @throws InvalidInput with one line for each target that has no such name
   */
  void checkTargets(Bootstrap bootstrap) throws InvalidInput {
    var unknown = new Problems();
    for (ForwardSpec forward : forwards) {
      if (forward.target() instanceof DnsTarget) {
        continue;
      }
      XdsTarget.Service service =
          forward.target() instanceof XdsTarget.Service named
              ? named
              : new XdsTarget.Service(Optional.empty(), "*");
      RpcStatus status = ListenerNames.of(bootstrap, service.authority(), service.path()).status();
      if (!status.isOk()) {
        unknown.add(
            settings.origin(Flag.FORWARD), "\"" + forward.target() + "\": " + status.message());
      }
    }
    unknown.throwIfAny();
  }
}

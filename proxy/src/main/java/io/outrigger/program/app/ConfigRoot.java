package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.ListenerNames;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.program.options.DnsTarget;
import io.outrigger.program.options.KubernetesTarget;
import io.outrigger.program.options.Target;
import io.outrigger.program.options.XdsTarget;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.local.DnsResources;
import io.outrigger.xds.stream.AdsClients;

/** The start of a target's configuration: the xDS client, and the Listener that it requests. */
@AnyThread
record ConfigRoot(XdsClient client, String listener) {
  /**
   * Returns the root of {@code target}; fails when {@code bootstrap} does not contain the target's
   * xDS authority.
   */
  static Outcome<ConfigRoot> of(Target.Single target, Bootstrap bootstrap, AdsClients clients) {
    String name = target.toString();
    if (target instanceof DnsTarget) {
      return Outcome.ok(new ConfigRoot(clients.of(name, DnsResources.SERVER), name));
    }
    if (target instanceof KubernetesTarget kubernetes) {
      XdsServer server = kubernetes.port().server();
      return Outcome.ok(new ConfigRoot(clients.of(name, server), name));
    }
    if (target instanceof XdsTarget.Service service) {
      return ListenerNames.of(bootstrap, service.authority(), service.path())
          .match(
              listener -> Outcome.ok(new ConfigRoot(clients.of(name), listener)), Outcome::failed);
    }
    throw new AssertionError(target);
  }
}

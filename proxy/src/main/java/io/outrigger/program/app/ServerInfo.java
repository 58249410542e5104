package io.outrigger.program.app;

import io.outrigger.program.options.ProgramVersion;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * The reply of {@code GET /server_info}; the component names are the JSON names.
 *
 * @param commit the first digits of the commit's hash
 * @param uptimeS the whole seconds since the start
 * @param node the node id that control planes get; empty without a bootstrap
 * @param flags the value of each flag of {@code outrigger run}, defaults included
 */
record ServerInfo(
    String version,
    String commit,
    String jdk,
    Instant started,
    long uptimeS,
    String node,
    Map<String, Object> flags) {
  static ServerInfo of(String node, Map<String, Object> flags) {
    var started = Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime());
    return new ServerInfo(
        ProgramVersion.text(),
        ProgramVersion.commit(),
        Runtime.version().toString(),
        started,
        Duration.between(started, Instant.now()).toSeconds(),
        node,
        flags);
  }
}

package io.outrigger.config.bootstrap;

import io.outrigger.config.bootstrap.XdsServer.CallCredentials;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials;
import io.outrigger.config.endpoint.EndpointAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the control planes in {@code xds_servers} (A27, A71, A97). */
final class ServerReader {
  private ServerReader() {}

  static List<XdsServer> read(List<JsonNode> elements) {
    List<XdsServer> servers = new ArrayList<>();
    for (JsonNode element : elements) {
      if (element.isObject()) {
        servers.add(server(element));
      }
    }
    return servers;
  }

  /** Reads one server. Invalid fields get placeholders, since the document is refused. */
  private static XdsServer server(JsonNode node) {
    String uri = node.requiredText("server_uri").orElse("-");
    if (uri.isBlank() || !uri.equals(uri.strip())) {
      node.error("server_uri", "\"" + uri + "\" is not a gRPC target such as \"xds.example:443\"");
    } else if (uri.contains("://") && !uri.startsWith("dns://") && !uri.startsWith("unix://")) {
      node.error(
          "server_uri",
          "\"%s\" has an unknown scheme; write host:port, dns:///host:port or unix:///path"
              .formatted(uri));
    }
    checkPort(node, "server_uri", uri);
    ChannelCredentials channel = channelCredentials(node);
    List<CallCredentials> calls = callCredentials(node);
    if (channel instanceof ChannelCredentials.Insecure && !calls.isEmpty()) {
      node.findings()
          .warn(
              node.path() + ".call_creds",
              ("a token is never sent over channel_creds of type \"insecure\": every request to"
                      + " \"%s\" will fail with UNAUTHENTICATED; use channel_creds of type \"tls\", or"
                      + " leave call_creds out")
                  .formatted(uri));
    }
    return new XdsServer(uri, channel, calls, features(node));
  }

  /** Refuses an invalid port, for which gRPC would wait without reporting an error. */
  static void checkPort(JsonNode node, String name, String target) {
    String port = target.substring(target.lastIndexOf(':') + 1);
    if (target.matches("(?!unix:).*:\\d+") && !EndpointAddress.isPort(port)) {
      node.error(name, "\"" + target + "\": the port is not between 1 and 65535");
    }
  }

  /**
   * Returns the first channel credentials of a supported type (A27 "XdsClient and Bootstrap File").
   */
  private static ChannelCredentials channelCredentials(JsonNode node) {
    ChannelCredentials placeholder = new ChannelCredentials.Insecure();
    Optional<JsonNode> list = node.member("channel_creds");
    if (list.isEmpty()) {
      node.error("channel_creds", "is missing; give one of type \"tls\" or \"insecure\"");
      return placeholder;
    }
    List<JsonNode> entries = list.get().elements();
    if (!list.get().value().isJsonArray()) {
      return placeholder;
    }
    List<String> skipped = new ArrayList<>();
    for (JsonNode entry : entries) {
      Optional<String> type = entry.isObject() ? entry.requiredText("type") : Optional.empty();
      if (type.isEmpty()) {
        return placeholder;
      }
      if (type.get().equals("insecure")) {
        var unused = entry.object("config"); // reports an error if config is not an object
        return new ChannelCredentials.Insecure();
      }
      if (type.get().equals("tls")) {
        return CertificateConfigReader.channelCredentials(entry.object("config"));
      }
      if (type.get().equals("google_default")) {
        return new ChannelCredentials.GoogleDefault(); // as in gRPC, ignores "config"
      }
      skipped.add("\"" + type.get() + "\"");
    }
    list.get()
        .error(
            (skipped.isEmpty() ? "is empty" : "none is supported of " + String.join(", ", skipped))
                + "; add one of type \"tls\" or \"insecure\"");
    return placeholder;
  }

  /** Returns the call credentials of supported types (A97); ignores unsupported types. */
  private static List<CallCredentials> callCredentials(JsonNode node) {
    List<CallCredentials> credentials = new ArrayList<>();
    for (JsonNode entry : node.elements("call_creds")) {
      if (entry.isObject() && entry.requiredText("type").equals(Optional.of("jwt_token_file"))) {
        credentials.add(
            new CallCredentials(
                CertificateConfigReader.required(
                    entry.object("config"),
                    "jwt_token_file",
                    "the path of a token file is required")));
      }
    }
    return credentials;
  }

  /** Ignores unknown features (A30) and {@code ignore_resource_deletion} (A88). */
  private static ServerFeatures features(JsonNode node) {
    Set<String> names = new HashSet<>();
    for (JsonNode feature : node.elements("server_features")) {
      Optional<String> name = feature.text();
      name.ifPresent(names::add);
      if (name.equals(Optional.of("resource_timer_is_transient_failure"))) {
        // In one place, A88 misspells resource_timer_is_transient_error as ..._transient_failure.
        node.findings()
            .warn(
                feature.path(),
                "\"resource_timer_is_transient_failure\" is not a feature;"
                    + " its name is \"resource_timer_is_transient_error\"");
      }
    }
    return new ServerFeatures(
        names.contains("trusted_xds_server"),
        names.contains("fail_on_data_errors"),
        names.contains("resource_timer_is_transient_error"));
  }
}

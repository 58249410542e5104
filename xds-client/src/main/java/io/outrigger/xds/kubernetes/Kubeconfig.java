package io.outrigger.xds.kubernetes;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.IpAddress;
import io.outrigger.base.PlainText;
import io.outrigger.base.RegularFile;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.identity.certificate.CredentialFile;
import io.outrigger.xds.local.Located;
import io.outrigger.xds.local.YamlReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the current context of a kubeconfig file. An unsupported setting is an error if ignoring it
 * would change the called server or the identity of the caller.
 */
public final class Kubeconfig {
  private static final int MAX_SIZE = 1 << 20;

  private static final String CREDENTIALS_REMEDY =
      "give a token, a tokenFile or a client-certificate and client-key instead";

  /** The unsupported fields of users and clusters, each with the text of its error message. */
  private static final Map<String, String> UNSUPPORTED =
      Map.of(
          "exec",
          "starts a program; " + CREDENTIALS_REMEDY,
          "auth-provider",
          CREDENTIALS_REMEDY,
          "username",
          "API servers accept no passwords; " + CREDENTIALS_REMEDY,
          "as",
          "acting as another user is not supported; use the credentials of that user",
          "insecure-skip-tls-verify",
          "give the authority as certificate-authority instead",
          "tls-server-name",
          "name the server as its certificate does",
          "proxy-url",
          "name a server that can be reached directly");

  /** The values, as JSON texts, that have the same meaning as an absent field. */
  private static final List<String> NOT_SET = List.of("null", "false", "\"\"");

  private final String file;
  private final JsonObject content;

  private Kubeconfig(String file, JsonObject content) {
    this.file = file;
    this.content = content;
  }

  /**
   * Reads {@code file}. Blocks.
   *
   * @throws IllegalArgumentException with the file, the reason and the remedy
   */
  public static ApiAccess read(Path file) {
    try {
      byte[] bytes = RegularFile.read(file.toString(), MAX_SIZE);
      Optional<Located> document =
          YamlReader.read(new String(bytes, StandardCharsets.UTF_8), MAX_SIZE);
      if (document.isPresent() && document.get().json() instanceof JsonObject fields) {
        return new Kubeconfig(file.toString(), fields).access();
      }
      throw new IllegalArgumentException(file + ": is not a kubeconfig: it has no fields");
    } catch (RegularFile.Unreadable unreadable) {
      throw new IllegalArgumentException(
          file + " " + unreadable.reason() + "; give a kubeconfig file that this process can read",
          unreadable);
    } catch (YamlReader.Unreadable notYaml) { // omits the message, which may quote a token
      throw new IllegalArgumentException(
          "%s:%d:%d: is not YAML"
              .formatted(file, notYaml.position().line(), notYaml.position().column()));
    }
  }

  private ApiAccess access() {
    String current = text(content, "current-context");
    JsonObject context = entry("context", current, "current-context");
    String clusterName = text(context, "cluster");
    String userName = text(context, "user");
    JsonObject cluster = entry("cluster", clusterName, "context " + current + ": cluster");
    JsonObject user =
        userName.isEmpty()
            ? new JsonObject()
            : entry("user", userName, "context " + current + ": user");
    requireSupported(cluster, "cluster \"" + clusterName + "\"");
    requireSupported(user, "user \"" + userName + "\"");
    var access =
        new ApiAccess(
            server(cluster, clusterName),
            source(cluster, "certificate-authority"),
            token(user),
            source(user, "client-certificate"),
            source(user, "client-key"));
    if (access.chain().isPresent() != access.key().isPresent()) {
      throw invalid("user \"" + userName + "\": give both client-certificate and client-key");
    }
    boolean hasCredentials = access.token().isPresent() || access.key().isPresent();
    if (access.server().getScheme().equals("http") && hasCredentials && !isLocal(access.server())) {
      throw invalid(
          "cluster \"%s\": server is http, which would show the credentials of user \"%s\"; write it as https://…"
              .formatted(clusterName, userName));
    }
    return access;
  }

  private JsonObject entry(String field, String name, String namedBy) {
    if (name.isEmpty()) {
      throw invalid(namedBy + " is missing");
    }
    JsonArray all =
        content.get(field + "s") instanceof JsonArray entries ? entries : new JsonArray();
    return all.asList().stream()
        .filter(each -> each instanceof JsonObject object && text(object, "name").equals(name))
        .map(each -> object(each.getAsJsonObject(), field))
        .findFirst()
        .orElseThrow(
            () -> invalid("%1$s \"%2$s\" is not in %1$ss; add it there".formatted(field, name)));
  }

  private void requireSupported(JsonObject in, String owner) {
    UNSUPPORTED.forEach(
        (field, remedy) -> {
          if (!NOT_SET.contains(String.valueOf(in.get(field)))) {
            throw invalid("%s: %s is not supported: %s".formatted(owner, field, remedy));
          }
        });
  }

  private URI server(JsonObject cluster, String name) {
    String text = text(cluster, "server").replaceFirst("/+$", "");
    try {
      URI uri = URI.create(text);
      if (uri.getHost() != null
          && List.of("http", "https").contains(uri.getScheme())
          && EndpointAddress.isPortOf(uri)
          && uri.getQuery() == null
          && uri.getUserInfo() == null) {
        return uri;
      }
    } catch (IllegalArgumentException noUri) {
      // Ignored, because the exception that is thrown next reports the failure.
    }
    throw invalid(
        "cluster \"%s\": server \"%s\" is not a URI such as https://10.0.0.1:6443"
            .formatted(name, text));
  }

  private static boolean isLocal(URI server) {
    String host = server.getHost();
    return host.equals("localhost")
        || host.equals("[::1]")
        || IpAddress.canonical(host).filter(ip -> ip.startsWith("127.")).isPresent();
  }

  private Optional<ApiAccess.Source> token(JsonObject user) {
    String token = text(user, "token");
    String path = text(user, "tokenFile");
    if (!path.isEmpty()) { // takes precedence, because the token in the file may be rotated
      return Optional.of(ApiAccess.inFile("tokenFile", absolute(path)));
    }
    return token.isEmpty() ? Optional.empty() : Optional.of(() -> inline("token", token));
  }

  private Optional<ApiAccess.Source> source(JsonObject json, String field) {
    String data = text(json, field + "-data");
    String path = text(json, field);
    if (data.isEmpty()) {
      return path.isEmpty()
          ? Optional.empty()
          : Optional.of(ApiAccess.inFile(field, absolute(path)));
    }
    try {
      byte[] decoded = Base64.getDecoder().decode(data.replaceAll("\\s", ""));
      String pem = new String(decoded, StandardCharsets.ISO_8859_1);
      return Optional.of(() -> inline(field + "-data", pem));
    } catch (IllegalArgumentException notBase64) {
      throw invalid(field + "-data is not base64");
    }
  }

  private CredentialFile inline(String field, String text) {
    return new CredentialFile(field, "of " + file, text);
  }

  /** Resolves a relative path against the folder of the kubeconfig, as kubectl does. */
  private String absolute(String path) {
    try {
      return Path.of(file).toAbsolutePath().resolveSibling(path).toString();
    } catch (InvalidPathException notAllowed) {
      throw invalid("\"" + path + "\" is not a path of this system");
    }
  }

  private static JsonObject object(JsonObject json, String field) {
    return json.get(field) instanceof JsonObject object ? object : new JsonObject();
  }

  private static String text(JsonObject json, String field) {
    return json.get(field) instanceof JsonPrimitive value && value.isString()
        ? value.getAsString()
        : "";
  }

  private IllegalArgumentException invalid(String reason) {
    return new IllegalArgumentException(file + ": " + PlainText.of(reason));
  }
}

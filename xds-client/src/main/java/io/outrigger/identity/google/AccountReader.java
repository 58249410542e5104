package io.outrigger.identity.google;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.PlainText;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.identity.certificate.CredentialFile;
import io.outrigger.identity.certificate.PrivateKeyReader;
import io.outrigger.identity.certificate.UnusableFile;
import io.outrigger.identity.google.Account.MetadataServer;
import io.outrigger.identity.google.Account.ServiceAccount;
import io.outrigger.identity.token.NoToken;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.PrivateKey;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Finds the application default credentials: the file that the environment names, else the metadata
 * server. Error messages name the file and the field in it, and never quote a secret.
 */
record AccountReader(CredentialFile file, JsonObject content) {
  static final String FILE_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS";
  static final String HOST_VARIABLE = "GCE_METADATA_HOST";

  private static final String METADATA_HOST = "metadata.google.internal";
  private static final String TOKEN_URI = "https://oauth2.googleapis.com/token";
  private static final Pattern HOST = Pattern.compile("[\\w.-]+(:\\d{1,5})?|\\[[\\w:.]+](:\\d+)?");

  static Optional<String> file(Map<String, String> environment) {
    return Optional.ofNullable(environment.get(FILE_VARIABLE)).filter(path -> !path.isEmpty());
  }

  static Account read(Map<String, String> environment) throws NoToken {
    Optional<String> path = file(environment);
    if (path.isEmpty()) {
      return metadataServer(environment);
    }
    try {
      CredentialFile file = CredentialFile.read(FILE_VARIABLE, path.get());
      Optional<JsonObject> content = file.json();
      if (content.isEmpty()) {
        throw file.unusable("is not a JSON object");
      }
      return new AccountReader(file, content.get()).account();
    } catch (UnusableFile unusable) {
      throw new NoToken(unusable.reason());
    }
  }

  private static Account metadataServer(Map<String, String> environment) throws NoToken {
    String host = environment.getOrDefault(HOST_VARIABLE, "");
    if (host.isEmpty()) {
      return new MetadataServer(METADATA_HOST);
    }
    try {
      var server = new MetadataServer(host);
      if (HOST.matcher(host).matches() && isUsable(server.uri())) {
        return server;
      }
    } catch (IllegalArgumentException noUri) {
      // Ignored, because the exception that is thrown next reports the failure.
    }
    throw new NoToken(
        "%s: \"%s\" is not HOST or HOST:PORT".formatted(HOST_VARIABLE, PlainText.of(host)));
  }

  private static boolean isUsable(URI uri) {
    return uri.getHost() != null && EndpointAddress.isPortOf(uri);
  }

  private Account account() throws UnusableFile {
    String type = text("type");
    if (!type.equals("service_account")) {
      throw wrong(
          "type",
          "\"%.60s\" is not supported; give the key of a service_account, or unset the variable"
                  .formatted(PlainText.of(type))
              + " where a metadata server has tokens, as workload identity does");
    }
    return new ServiceAccount(text("client_email"), text("private_key_id"), key(), tokenUri());
  }

  /** The token server's URI, which must be https because it receives secrets of the file. */
  private URI tokenUri() throws UnusableFile {
    String name = "token_uri";
    try {
      URI uri = new URI(content.has(name) ? text(name) : TOKEN_URI);
      if ("https".equalsIgnoreCase(uri.getScheme()) && isUsable(uri)) {
        return uri;
      }
    } catch (URISyntaxException malformed) {
      // Ignored, because the exception that is thrown next reports the failure.
    }
    throw wrong(name, "is not an https URI");
  }

  private PrivateKey key() throws UnusableFile {
    String name = "private_key";
    String pem = text(name);
    try {
      PrivateKey key = PrivateKeyReader.read(new CredentialFile(name, file.path(), pem));
      if (key.getAlgorithm().equals("RSA")) {
        return key;
      }
    } catch (UnusableFile damaged) {
      // Ignored, because the next exception reports the failure and the position of the key.
    }
    throw wrong(name, "is not an RSA key in PEM");
  }

  private String text(String name) throws UnusableFile {
    JsonElement found = content.get(name);
    if (found == null || found.isJsonNull()) {
      throw wrong(name, "is missing");
    }
    if (found instanceof JsonPrimitive primitive
        && primitive.isString()
        && !primitive.getAsString().isEmpty()) {
      return primitive.getAsString();
    }
    throw wrong(name, "is not a text");
  }

  private UnusableFile wrong(String name, String reason) {
    return file.unusable("cannot be used: $." + name + " " + reason);
  }

  @Override
  public String toString() {
    return file.toString(); // the content has a key
  }
}

package io.outrigger.config.bootstrap;

/**
 * An error or a warning about one place of a document.
 *
 * @param path the JSON path, such as {@code $.xds_servers[0].channel_creds}
 * @param message the reason and, unless obvious, the remedy; one line
 */
public record Finding(String path, String message) {
  @Override
  public String toString() {
    return path + ": " + message;
  }
}

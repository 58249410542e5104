package io.outrigger.config.bootstrap;

/**
 * Something wrong in a document, and where.
 *
 * @param path the JSON path, such as {@code $.xds_servers[0].channel_creds}
 * @param message the reason and, where it is not obvious, the remedy; one line
 */
public record Finding(String path, String message) {
  @Override
  public String toString() {
    return path + ": " + message;
  }
}

package io.outrigger.config.bootstrap;

import com.google.gson.JsonParser;
import java.util.List;
import java.util.regex.Pattern;

/**
 * An error or a warning about one place of a document.
 *
 * @param path the JSON path, such as {@code $.xds_servers[0].channel_creds}
 * @param message the reason and, unless obvious, the remedy; one line
 */
public record Finding(String path, String message) {
  private static final Pattern STEP =
      Pattern.compile("\\.(\\w+)|\\[(\\d+)]|\\[(\"(?:[^\"\\\\]|\\\\.)*\")]");

  /** Returns the names of members and the indexes of elements that lead from the root to here. */
  public List<String> steps() {
    return STEP.matcher(path)
        .results()
        .map(
            step -> {
              String plain = step.group(1) != null ? step.group(1) : step.group(2);
              return plain != null ? plain : JsonParser.parseString(step.group(3)).getAsString();
            })
        .toList();
  }

  @Override
  public String toString() {
    return path + ": " + message;
  }
}

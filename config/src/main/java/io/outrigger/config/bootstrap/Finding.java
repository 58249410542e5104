package io.outrigger.config.bootstrap;

import com.google.gson.JsonParser;
import java.util.List;
import java.util.regex.Pattern;

/**
 * An error or a warning about one value of a document.
 *
 * @param path the JSON path, such as {@code $.xds_servers[0].channel_creds}
 * @param message one line with the reason and, unless obvious, the remedy
 */
public record Finding(String path, String message) {
  private static final Pattern STEP =
      Pattern.compile("\\.(\\w+)|\\[(\\d+)]|\\[(\"(?:[^\"\\\\]|\\\\.)*\")]");

  /** Returns the steps of {@link #path} from the root: names of members and indexes of elements. */
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

package io.outrigger.program.options;

import io.outrigger.base.RegularFile;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.BootstrapReader;
import io.outrigger.config.bootstrap.BootstrapResult;
import io.outrigger.config.bootstrap.Finding;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.program.options.InvalidInput.AbsentFile;
import io.outrigger.xds.local.Located;
import io.outrigger.xds.local.YamlReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the bootstrap in the first source that is set (A27 "XdsClient and Bootstrap File"): the
 * path of {@code --bootstrap}, the path in {@code $GRPC_XDS_BOOTSTRAP}, or the JSON text in {@code
 * $GRPC_XDS_BOOTSTRAP_CONFIG}.
 */
public final class BootstrapSource {
  public static final String FILE_VARIABLE = "GRPC_XDS_BOOTSTRAP";
  public static final String TEXT_VARIABLE = "GRPC_XDS_BOOTSTRAP_CONFIG";

  /**
   * The bootstrap that is used when no source is set. This bootstrap has no control plane. Its
   * templates name a Listener after the target, or after the served address.
   */
  public static final Bootstrap NONE =
      new Bootstrap(
          List.of(),
          new Node("outrigger", "", new Locality("", "", ""), Map.of()),
          Map.of(),
          Map.of(),
          "%s",
          Optional.of("%s"));

  private static final int MAX_BYTES = 4 << 20;
  private static final Pattern SYNTAX_PLACE = Pattern.compile(" at line (\\d+) column (\\d+)$");

  private BootstrapSource() {}

  public record Found(Bootstrap bootstrap, String origin, List<String> warnings) {
    public Found {
      warnings = List.copyOf(warnings);
    }
  }

  /**
   * Returns the bootstrap of the first source that is set; empty when no source is set.
   *
   * @throws AbsentFile when the first source that is set names a file that does not exist
   * @throws InvalidInput with all errors, when the first source that is set cannot be read
   */
  public static Optional<Found> find(
      Optional<Path> flag, String flagOrigin, Map<String, String> environment) throws InvalidInput {
    if (flag.isPresent()) {
      return Optional.of(fromFile(flag.get(), flagOrigin));
    }
    String file = environment.getOrDefault(FILE_VARIABLE, "");
    if (!file.isEmpty()) {
      return Optional.of(fromFile(Path.of(file), FILE_VARIABLE));
    }
    String text = environment.getOrDefault(TEXT_VARIABLE, "");
    if (!text.isEmpty()) {
      return Optional.of(fromText(text, TEXT_VARIABLE, "the text in $" + TEXT_VARIABLE));
    }
    return Optional.empty();
  }

  private static Found fromFile(Path file, String namedBy) throws InvalidInput {
    if (file.toString().isEmpty()) {
      throw new InvalidInput(namedBy + ": is empty; give the path of a gRPC xDS bootstrap");
    }
    try {
      String text = RegularFile.readText(file.toString(), MAX_BYTES);
      return fromText(text, file.toString(), file + " (" + namedBy + ")");
    } catch (RegularFile.Unreadable e) {
      String line =
          "%s: %s %s; give the path of a gRPC xDS bootstrap".formatted(namedBy, file, e.reason());
      throw e.isMissing() ? new AbsentFile(line) : new InvalidInput(line);
    }
  }

  private static Found fromText(String text, String place, String origin) throws InvalidInput {
    BootstrapResult result = BootstrapReader.read(text);
    if (result instanceof BootstrapResult.Refused refused) {
      throw new InvalidInput(at(place, text, refused.errors()));
    }
    BootstrapResult.Accepted accepted = (BootstrapResult.Accepted) result;
    return new Found(accepted.bootstrap(), origin, at(place, text, accepted.warnings()));
  }

  /** Returns one line for each finding; the line begins with file, line number and column. */
  private static List<String> at(String file, String text, List<Finding> findings) {
    Optional<Located> document = findings.isEmpty() ? Optional.empty() : located(text);
    return findings.stream().map(finding -> file + line(finding, document)).toList();
  }

  private static String line(Finding finding, Optional<Located> document) {
    Matcher syntax = SYNTAX_PLACE.matcher(finding.message());
    if (syntax.find()) { // invalid JSON: the parser's message has the position
      String message = finding.message().substring(0, syntax.start());
      return ":%s:%s: %s: %s".formatted(syntax.group(1), syntax.group(2), finding.path(), message);
    }
    return document
            .map(root -> root.positionOf(finding.steps()))
            .map(at -> ":" + at.line() + ":" + at.column())
            .orElse("")
        + ": "
        + finding;
  }

  /** Returns the positions of the JSON's values; empty if the YAML reader cannot read the JSON. */
  private static Optional<Located> located(String text) {
    try {
      return YamlReader.read(text.replace('\t', ' '), text.length()); // YAML rejects tabs
    } catch (YamlReader.Unreadable e) {
      return Optional.empty();
    }
  }
}

package io.outrigger.config.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

/** Writes small bootstraps, with single quotes for the eye, and reads them. */
final class BootstrapTexts {
  private BootstrapTexts() {}

  /** A server with those members besides its URI, in a bootstrap of its own. */
  static String serverWith(String members) {
    return "{'xds_servers': [{'server_uri': 'cp:443', %s}]}".formatted(members);
  }

  /** A valid bootstrap with that top-level member besides. */
  static String bootstrapWith(String member) {
    return "{'xds_servers': [{'server_uri': 'cp:443', 'channel_creds': [{'type': 'insecure'}]}], %s}"
        .formatted(member);
  }

  static String json(String singleQuoted) {
    return singleQuoted.replace('\'', '"');
  }

  static Bootstrap read(String singleQuoted) {
    BootstrapResult result = BootstrapReader.read(json(singleQuoted));
    assertThat(result).isInstanceOf(BootstrapResult.Accepted.class);
    return ((BootstrapResult.Accepted) result).bootstrap();
  }

  static List<String> errors(String singleQuoted) {
    BootstrapResult result = BootstrapReader.read(json(singleQuoted));
    assertThat(result).isInstanceOf(BootstrapResult.Refused.class);
    return ((BootstrapResult.Refused) result).errors().stream().map(Finding::toString).toList();
  }

  static List<String> warnings(String singleQuoted) {
    BootstrapResult result = BootstrapReader.read(json(singleQuoted));
    assertThat(result).isInstanceOf(BootstrapResult.Accepted.class);
    return ((BootstrapResult.Accepted) result).warnings().stream().map(Finding::toString).toList();
  }

  static final String INSECURE = "'channel_creds': [{'type': 'insecure'}]";
}

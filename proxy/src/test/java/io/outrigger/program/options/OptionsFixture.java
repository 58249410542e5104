package io.outrigger.program.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.outrigger.dataplane.memory.MemoryPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Flags, environment and files of one reading, and its result. */
abstract class OptionsFixture {
  static final String BOOTSTRAP =
      """
      {"xds_servers": [{"server_uri": "%s", "channel_creds": [{"type": "insecure"}],
        "server_features": ["fail_on_data_errors"]}],
       "authorities": {"east": {"xds_servers": [{"server_uri": "east:1",
         "channel_creds": [{"type": "insecure"}]}]}},
       "node": {"id": "me"}}
      """;

  /** Peers may have 124 MiB of the heap and 117 MiB of the buffers. */
  static final MemoryPlan MEMORY = new MemoryPlan(180 << 20, 130 << 20);

  final Path folder;
  final Map<Flag, List<String>> flags = new EnumMap<>(Flag.class);
  final Map<String, String> environment = new HashMap<>();
  final Path bootstrap;

  /** Each test starts with a bootstrap and one forward. */
  OptionsFixture(Path folder) throws IOException {
    this.folder = folder;
    bootstrap = Files.writeString(folder.resolve("bootstrap.json"), BOOTSTRAP.formatted("cp:443"));
    flags.put(Flag.BOOTSTRAP, List.of(bootstrap.toString()));
    flags.put(Flag.FORWARD, List.of("9001=xds:///orders"));
  }

  final Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  /** Writes a bootstrap that names Listeners of servers, too. */
  final Path writeServing() throws IOException {
    return write(
        "serving.json",
        BOOTSTRAP
            .formatted("cp:443")
            .replaceFirst("\\{", "{\"server_listener_resource_name_template\": \"in/%s\", "));
  }

  final void give(Flag flag, String... values) {
    flags.put(flag, List.of(values));
  }

  final ProxyOptions read() throws InvalidInput {
    return OptionsReader.read(flags, environment, new Machine(3, MEMORY));
  }

  final List<String> errors() {
    InvalidInput failure = catchThrowableOfType(InvalidInput.class, this::read);
    assertThat(failure).as("expected to be refused").isNotNull();
    List<String> lines = new ArrayList<>();
    for (String line : failure.lines()) {
      assertThat(line).doesNotContain("\n");
      lines.add(line.replace(folder.toString(), "DIR"));
    }
    return lines;
  }
}

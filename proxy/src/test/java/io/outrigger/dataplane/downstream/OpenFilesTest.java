package io.outrigger.dataplane.downstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenFilesTest {
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({"1024, 768", "1048576, 786432", "unlimited, 9223372036854775807"})
  void callersMayHaveThreeQuartersOfTheFiles(String soft, long expected) {
    List<String> limits =
        List.of(
            "Limit                     Soft Limit           Hard Limit           Units     ",
            "Max processes             96365                96365                processes ",
            "Max open files            "
                + soft
                + "                 4096                 files     ");

    assertThat(OpenFiles.forCallers(limits)).isEqualTo(expected);
  }
}

package io.outrigger.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus.Code;
import io.outrigger.testing.Conformance;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RpcStatusTest {
  private static final EnumSet<Code> RESERVED =
      EnumSet.of(
          Code.OK,
          Code.INVALID_ARGUMENT,
          Code.NOT_FOUND,
          Code.ALREADY_EXISTS,
          Code.FAILED_PRECONDITION,
          Code.ABORTED,
          Code.OUT_OF_RANGE,
          Code.DATA_LOSS);

  @Conformance("A54-01")
  @ParameterizedTest
  @EnumSource(Code.class)
  void reservedCodesBecomeInternalWithTheOriginalInTheText(Code code) {
    var status = new RpcStatus(code, "why").restricted();

    if (RESERVED.contains(code)) {
      assertThat(status.code()).isEqualTo(Code.INTERNAL);
      assertThat(status.message()).contains(code.toString()).contains("why");
    } else {
      assertThat(status).isEqualTo(new RpcStatus(code, "why"));
    }
  }

  @Conformance("A88-20")
  @ParameterizedTest
  @EnumSource(Code.class)
  void whatTheControlPlaneCausesIsUnavailable(Code code) {
    assertThat(new RpcStatus(code, "why").forDataPlane()).isEqualTo(RpcStatus.unavailable("why"));
  }

  @Test
  void aNoteIsAtTheEndOnce() {
    RpcStatus noted = RpcStatus.internal("why").withNote("lost");

    assertThat(noted).isEqualTo(RpcStatus.internal("why; lost"));
    assertThat(noted.withNote("lost")).isEqualTo(noted);
    assertThat(noted.withNote("")).isEqualTo(noted);
  }

  @ParameterizedTest
  @EnumSource(Code.class)
  void numbersReadBack(Code code) {
    assertThat(Code.ofNumber(code.number())).isEqualTo(code);
    assertThat(Code.ofNumber(17)).isEqualTo(Code.UNKNOWN);
  }
}

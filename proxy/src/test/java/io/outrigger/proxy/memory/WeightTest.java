package io.outrigger.proxy.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.proxy.memory.Weight.Shortage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WeightTest {
  private static final int MIB = 1 << 20;

  /** Of 64 MiB; what lay still while 256 MiB came has lain still for long. */
  private static final Shortage SHORTAGE = new Shortage(true, 64 * MIB, 256 * MIB);

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    //                                        side, holds, still, MiB since, gave back, weight
    "bytes that just begin to lie still,      false,   1600, 1600,   0,  0,   1700",
    "that have lain still for half the time,  false,   1600, 1600, 128,  0, 206500",
    "for long,                                false,   1600, 1600, 256,  0, 411300",
    "for longer: no heavier,                  false,   1600, 1600, 999,  0, 411300",
    "bytes that come and go,                  false,   1600,    0,   0,  0,    100",
    "of a peer that takes up now and then,    false,   1600,    0,   0,  7,    100",
    "often,                                   false,   1600,    0,   0,  8,     50",
    "all the while,                           false,   1600,    0,   0, 56,     12",
    "more often than counts,                  false,   1600,    0,   0, 99,     12",
    "a shared connection with little,      true,    65535, 65535, 256, 0,     0",
    "a shared connection with enough,      true,    65536, 65536, 256, 0, 16846848",
    "an eighth of all at work,                false,   8388608, 0,   0, 99,  65536",
    "more than an eighth of all at work,      false,   8388609, 0,   0, 99, 2155872513",
  })
  void theHeavierGoesFirst(
      String what,
      boolean isShared,
      long holds,
      long still,
      long mibSince,
      int gaveBack,
      long weight) {
    long found = Weight.of(isShared, holds, holds, still, mibSince * MIB, gaveBack, SHORTAGE);

    assertThat(found).as(what).isEqualTo(weight);
  }
}

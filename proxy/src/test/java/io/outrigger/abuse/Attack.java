package io.outrigger.abuse;

import java.util.Locale;

/**
 * What peers do to the process, each with work that is bounded: it ends after the time that it is
 * given, or before.
 */
enum Attack {
  LONG_NAMES(Side.APP, HeaderAttacks::longNames),
  LONG_PATHS(Side.APP, HeaderAttacks::longPaths),
  LONG_HUFFMAN_NAMES(Side.APP, HeaderAttacks::longHuffmanNames),
  LEGAL_LONG_NAMES(Side.APP, HeaderAttacks::legalLongNames),
  LONG_NAMES_IN_RESPONSES(Side.BACKEND, HeaderAttacks::longNamesInResponses),
  HALF_FRAMES(Side.APP, HeaderAttacks::halfFrames),
  OPEN_HEADER_BLOCKS(Side.APP, HeaderAttacks::openHeaderBlocks),
  QUEUED_TINY_FIELDS(Side.APP, HeaderAttacks::queuedTinyFields),
  TINY_DATA_IN_LARGE_READS(Side.APP, StreamAttacks::tinyDataInLargeReads),
  UNREAD_RESPONSES(Side.APP, StreamAttacks::unreadResponses),
  UNREAD_SOCKETS(Side.APP, StreamAttacks::unreadSockets),
  UNREAD_BESIDE_OTHERS(Side.APP, StreamAttacks::unreadBesideOthers),
  UNREAD_HEADS(Side.APP, StreamAttacks::unreadHeads),
  UNREAD_LOCAL_REPLIES(Side.APP, StreamAttacks::unreadLocalReplies),
  WINDOW_SETTINGS(Side.APP, StreamAttacks::windowSettings),
  WINDOW_SETTINGS_OF_A_BACKEND(Side.BACKEND, StreamAttacks::windowSettingsOfABackend),
  PAID_SETTINGS(Side.APP, StreamAttacks::paidSettings),
  PAID_SETTINGS_OF_A_BACKEND(Side.BACKEND, StreamAttacks::paidSettingsOfABackend),
  HEADS_FOR_A_PAUSING_BACKEND(Side.APP, StreamAttacks::headsForAPausingBackend),
  STOPPED_READERS(Side.APP, StreamAttacks::stoppedReaders),
  EARLY_ANSWERS(Side.BACKEND, StreamAttacks::earlyAnswers),
  MANY_STREAMS_ONCE(Side.APP, StreamAttacks::manyStreamsOnce),
  WINDOWS_OF_ONE_BYTE(Side.APP, StreamAttacks::windowsOfOneByte),
  FILLED_TABLES(Side.APP, ConnectionAttacks::filledTables),
  UNFINISHED_PREFACES(Side.APP, ConnectionAttacks::unfinishedPrefaces),
  LEFT_BY_STREAMS(Side.APP, ConnectionAttacks::leftByStreams),
  SLOW_FRAMES(Side.APP, ConnectionAttacks::slowFrames),
  RAPID_RESET(Side.APP, FloodAttacks::rapidReset),
  MADE_TO_RESET(Side.APP, FloodAttacks::madeToReset),
  CONTINUATIONS(Side.APP, FloodAttacks::continuations),
  COOKIE_CRUMBS(Side.APP, FloodAttacks::cookieCrumbs),
  MIXED_CONTROL_FRAMES(Side.APP, FloodAttacks::mixedControlFrames),
  DATA_ON_RESET_STREAMS(Side.APP, FloodAttacks::dataOnResetStreams),
  CONTROL_FRAMES_OF_A_BACKEND(Side.BACKEND, FloodAttacks::controlFramesOfABackend),
  PINGS_AFTER_WORK(Side.APP, FloodAttacks::pingsAfterWork),
  FALLING_DEADLINES(Side.APP, FloodAttacks::fallingDeadlines),
  EQUAL_DEADLINES(Side.APP, FloodAttacks::equalDeadlines),
  UNREAD_METRICS(Side.ADMIN, AdminAttacks::unreadMetrics),
  UNREAD_CONFIG_DUMP(Side.ADMIN, AdminAttacks::unreadConfigDump),
  BLANKS_FOR_EXPLAIN(Side.ADMIN, AdminAttacks::blanksForExplain),
  HALF_HANDSHAKES(Side.TLS, TlsAttacks::halfHandshakes),
  SLOW_HANDSHAKES(Side.TLS, TlsAttacks::slowHandshakes),
  ABANDONED_HANDSHAKES(Side.TLS, TlsAttacks::abandonedHandshakes),
  ENDED_HANDSHAKES(Side.TLS, TlsAttacks::endedHandshakes),
  DISTRUSTED_CERTIFICATES(Side.TLS, TlsAttacks::distrustedCertificates),
  HUGE_CHAINS(Side.TLS, TlsAttacks::hugeChains),
  RENEGOTIATIONS(Side.TLS, TlsAttacks::renegotiations),
  KEY_UPDATES(Side.TLS, TlsAttacks::keyUpdates),
  EMPTY_RESOURCES(Side.CONTROL, ControlAttacks::emptyResources),
  EMPTY_ENDPOINTS(Side.CONTROL, ControlAttacks::emptyEndpoints),
  LONG_TEXTS(Side.CONTROL, ControlAttacks::longTexts),
  FLAPPING(Side.CONTROL, ControlAttacks::flapping),
  UNWANTED_RESOURCES(Side.CONTROL, ControlAttacks::unwantedResources),
  MANY_CLUSTERS(Side.CONTROL, ControlAttacks::manyClusters),
  BIG_HEADS(Side.HONEST, HonestUse::bigHeads),
  UPLOADS(Side.HONEST, HonestUse::uploads),
  CANCELS(Side.HONEST, HonestUse::cancels),
  IDLE_CONNECTIONS(Side.HONEST, HonestUse::idleConnections),
  SLOW_READER(Side.HONEST, HonestUse::slowReader);

  enum Side {
    APP,
    BACKEND,
    ADMIN,

    /** Callers of a port that expects TLS. */
    TLS,

    /** The control plane. */
    CONTROL,

    /** Heavy use that breaks no rule, and loses no call. */
    HONEST;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  interface Play {
    /** Attacks until {@link AttackRun#goesOn} is false, or a bounded work is done. */
    void attack(AttackRun run);
  }

  private final Side side;

  @SuppressWarnings("ImmutableEnumChecker") // a method
  private final Play play;

  Attack(Side side, Play play) {
    this.side = side;
    this.play = play;
  }

  Side side() {
    return side;
  }

  /** Whether there is such a peer where callers come by {@code entrance}. */
  boolean isFor(Entrance entrance) {
    return switch (side) {
      case TLS -> entrance == Entrance.SERVE_TLS;
      case CONTROL -> entrance == Entrance.CONTROLLED;
      default -> true;
    };
  }

  /** As users of the script say it: {@code half-frames}. */
  String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The one that {@link #text} has this name. */
  static Attack named(String text) {
    for (Attack attack : values()) {
      if (attack.text().equals(text)) {
        return attack;
      }
    }
    throw new IllegalArgumentException("unknown attack " + text);
  }

  /** Attacks and leaves its connections open. */
  AttackRun play(AttackedSidecar sidecar, AttackRun.Length length) {
    var run = new AttackRun(sidecar, length);
    play.attack(run);
    return run;
  }
}

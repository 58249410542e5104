package io.outrigger.proxy.memory;

import io.outrigger.base.LoopConfined;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Has the connections of one loop let go, the heaviest first ({@link Weight}), while the ledger
 * says that too much is held: some of them, then whatever else the loop has to do, then the next
 * ones. To end a connection takes system calls, and thousands may have to go.
 */
@LoopConfined
final class Relief {
  /** How many are asked before the loop does something else, and for how long. */
  private static final int ASKED_AT_ONCE = 32;

  private static final long ASKED_FOR_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** How much may come before the heaviest are others. */
  private static final int RANKED_FOR_BYTES = 2 << 20;

  /** How much comes at least between two rounds within one turn: each looks at all accounts. */
  private static final int ROUND_BYTES = 512 << 10;

  /** Who holds less is not worth its end while another loop has heavier ones. */
  private static final int TRIFLE_BYTES = 64 << 10;

  private record Weighed(MemoryAccount account, long weight) {}

  private final MemoryLedger ledger;
  private final LoopAccounts loop;
  private final List<MemoryAccount> accounts;

  /** Who is still to be asked in the round under way, the heaviest last; empty between rounds. */
  private final List<Weighed> order = new ArrayList<>();

  /**
   * What the loop had taken when {@link #order} was made, when some were asked, at the next round.
   */
  private long rankedAt;

  private long askedAt;
  private long nextRoundAt;

  /** Whether nobody has let go of anything in the round under way. */
  private boolean inVain;

  /** Whether the last round was in vain; until the next tick there is none then. */
  private boolean exhausted;

  /** Whether the last round ended since another loop has heavier ones. */
  private boolean deferred;

  /**
   * @param accounts those of {@code loop}
   */
  Relief(MemoryLedger ledger, LoopAccounts loop, List<MemoryAccount> accounts) {
    this.ledger = ledger;
    this.loop = loop;
    this.accounts = accounts;
  }

  /** Time has passed: those who had nothing to give may have something now. */
  void onTick() {
    exhausted = false;
  }

  /**
   * Begins a round where too much is held, or goes on with it: thousands of others may be about to
   * be read from in this turn of the loop. To be called between two connections, not within one.
   */
  void goIfHeavy() {
    if (ledger.isHeavy()
        && loop.taken() >= nextRoundAt
        && (!exhausted || (deferred && ledger.isFullNow()))) {
      nextRoundAt = loop.taken() + ROUND_BYTES;
      go();
    }
  }

  /** Asks some, and goes on in the next turn of the loop until nobody is to be asked. */
  void go() {
    if (order.isEmpty()) {
      askedAt = loop.taken();
      rank();
    } else if (loop.taken() - rankedAt > RANKED_FOR_BYTES) {
      rank();
    }
    int asked = 0;
    long due = loop.taken() - askedAt; // as much as has come, or more would come than goes
    askedAt = loop.taken();
    long began = loop.nanoTime();
    while (!order.isEmpty() && (due > 0 || mayAsk(asked, began))) {
      Weighed next = order.remove(order.size() - 1);
      loop.heaviest(next.weight);
      long excess = ledger.excess();
      deferred = isHeavierElsewhere(next);
      if (excess <= 0 || next.weight == 0 || deferred) {
        order.clear();
      } else if (next.account.isOpen()) {
        asked++;
        due -= ask(next, excess);
        tellHeaviest(next.account);
      }
    }
    if (order.isEmpty()) {
      end();
    } else {
      loop.inNextTurn(this::go);
    }
  }

  /** One at least, though the loop was stopped for long since. */
  private boolean mayAsk(int asked, long beganNanos) {
    return asked == 0 || (asked < ASKED_AT_ONCE && loop.nanoTime() - beganNanos < ASKED_FOR_NANOS);
  }

  private void rank() {
    inVain = ledger.excess() > 0; // a round that comes when others have seen to it is not in vain
    rankedAt = loop.taken();
    order.clear();
    if (inVain) {
      Weight.Shortage shortage = ledger.shortage();
      for (MemoryAccount account : accounts) {
        order.add(new Weighed(account, account.weight(shortage)));
      }
      order.sort(Comparator.comparingLong(Weighed::weight));
    }
  }

  /**
   * Another loop has much heavier ones, which it asks at the same time; unless calls are refused
   * meanwhile, and this one is no trifle.
   */
  private boolean isHeavierElsewhere(Weighed next) {
    return next.weight < ledger.heaviestElsewhere(loop) / 2
        && (next.account.bytes() < TRIFLE_BYTES || !ledger.isFullNow());
  }

  /** Other loops compare theirs with what is left, not with what has gone. */
  private void tellHeaviest(MemoryAccount asked) {
    long left = asked.isOpen() ? asked.weight(ledger.shortage()) : 0;
    long rest = order.isEmpty() ? 0 : order.get(order.size() - 1).weight;
    loop.heaviest(Math.max(left, rest));
  }

  /** How many bytes are free now that were not. */
  private long ask(Weighed next, long excess) {
    long before = next.account.bytes();
    next.account.holder().letGo(excess);
    long freed = before - next.account.bytes();
    inVain &= freed <= 0;
    return freed;
  }

  private void end() {
    exhausted = inVain;
    ledger.look();
    if (!inVain) {
      ledger.mayRelieveAgain();
    }
  }
}

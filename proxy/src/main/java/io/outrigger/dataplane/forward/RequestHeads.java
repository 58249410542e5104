package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.http2.HeaderList;
import org.jspecify.annotations.Nullable;

/**
 * A cache of {@link RequestHead}s on one event loop, so that a recurring header list is read only
 * once.
 */
@LoopConfined
final class RequestHeads {
  private static final int PLACES = 64;

  private final @Nullable RequestHead[] known = new RequestHead[PLACES];

  @SuppressWarnings("ReferenceEquality") // a recurring list is one object
  RequestHead of(HeaderList headers) {
    if (!headers.recurs()) {
      return RequestHead.of(headers);
    }
    int place = headers.hash() & (PLACES - 1);
    RequestHead head = known[place];
    if (head == null || head.headers() != headers) {
      head = RequestHead.of(headers);
      known[place] = head;
    }
    return head;
  }
}

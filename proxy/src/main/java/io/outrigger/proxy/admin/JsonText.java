package io.outrigger.proxy.admin;

import com.google.gson.JsonParser;
import io.netty.buffer.ByteBuf;
import io.outrigger.base.AnyThread;
import java.nio.charset.StandardCharsets;

/**
 * An answer on one line, for whichever thread.
 *
 * @param json belongs to {@link #reply}
 * @param endpoints that it lists
 */
@AnyThread
public record JsonText(ByteBuf json, int endpoints) {
  /** Endpoints up to which an answer is laid out for people; layout is most of its bytes. */
  private static final int MAX_READABLE = 200;

  /** The answer, once. */
  public AdminReply reply() {
    if (endpoints > MAX_READABLE) {
      return AdminReply.json(json);
    }
    try {
      return AdminReply.json(JsonParser.parseString(json.toString(StandardCharsets.UTF_8)));
    } finally {
      json.release();
    }
  }

  /** Gives it up. */
  public void release() {
    json.release();
  }
}

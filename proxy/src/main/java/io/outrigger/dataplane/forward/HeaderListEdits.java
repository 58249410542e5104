package io.outrigger.dataplane.forward;

import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.filter.HeaderEdits;
import io.outrigger.http2.HeaderField;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.HeaderName;
import io.outrigger.http2.KnownName;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Edits a header list in a copy; the original does not change. */
@LoopConfined
final class HeaderListEdits implements HeaderEdits {
  private final HeaderList original;

  /** The edited fields; null before the first change. */
  private @Nullable List<HeaderField> fields;

  HeaderListEdits(HeaderList original) {
    this.original = original;
  }

  /** Returns the list with all changes, or the original when there are none. */
  HeaderList result() {
    if (fields == null) {
      return original;
    }
    var list = HeaderList.builder(fields.size());
    fields.forEach(list::add);
    return list.build();
  }

  @Override
  public boolean contains(String name) {
    if (fields == null) {
      return original.contains(new AsciiString(name));
    }
    return fields.stream().anyMatch(field -> field.name().text().contentEquals(name));
  }

  @Override
  public void add(String name, String value) {
    HeaderName key = HeaderName.of(new AsciiString(name));
    if (isFree(key)) {
      changed().add(HeaderField.of(key, new AsciiString(value)));
    }
  }

  @Override
  public void remove(String name) {
    if (isFree(HeaderName.of(new AsciiString(name))) && contains(name)) {
      changed().removeIf(field -> field.name().text().contentEquals(name));
    }
  }

  private static boolean isFree(HeaderName name) {
    return name.known() == KnownName.OTHER && !name.isPseudo();
  }

  private List<HeaderField> changed() {
    List<HeaderField> known = fields;
    if (known == null) {
      known = new ArrayList<>(original.size() + 1);
      for (int i = 0; i < original.size(); i++) {
        known.add(original.field(i));
      }
      fields = known;
    }
    return known;
  }
}

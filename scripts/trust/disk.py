"""What a disk holds after a power cut: reads the records of power.c, and rebuilds what a crash may leave.

The model is that of https://www.sqlite.org/atomiccommit.html and https://www.sqlite.org/psow.html:

- What was synced is there.
- Of what was written since, each sector has the content of some moment, whatever the other sectors have. The sector
  that was being written may end in the middle: linearly, from either end.
- The size of a file changes in order, maybe without the content of its new sectors, which then is zero or garbage.
- Names appear and disappear with the sync of their folder, or earlier, each for itself. No file is cut before that
  if it was cut after that: file systems with a journal keep this order, and SQLite relies on it with
  PRAGMA synchronous = FULL. It cuts the file after a commit that has deleted the journal, and a journal that came
  back could not restore what was cut.
- Bytes beside those written are safe, unless the record is of a disk without that promise: then a sector that was
  being written may be garbage altogether.
"""

import struct
import zlib

EXISTING, CONTENT, CREATE, WRITE, TRUNCATE, SYNC, DELETE, MARK = range(1, 9)


def read_record(path):
    """The events: (kind, file, offset, bytes)."""
    with open(path, "rb") as file:
        data = file.read()
    events = []
    position = 0
    while position < len(data):
        kind, number, offset, count = struct.unpack_from("<IIqq", data, position)
        position += 24
        events.append((kind, number, offset, data[position : position + count]))
        position += count
    return events


class File:
    """A file: what is on the disk, and what was done since."""

    def __init__(self, content=b""):
        self.durable = bytearray(content)
        self.pending = []  # (event, offset, bytes), or (event, size, None)
        self.current = bytearray(content)

    def write(self, index, offset, data):
        self.pending.append((index, offset, data))
        _write(self.current, offset, data)

    def truncate(self, index, size):
        self.pending.append((index, size, None))
        _resize(self.current, size)

    def sync(self):
        self.durable = bytearray(self.current)
        self.pending = []


def _resize(content, size):
    if size < len(content):
        del content[size:]
    else:
        content.extend(bytes(size - len(content)))


def _write(content, offset, data):
    if len(content) < offset + len(data):
        _resize(content, offset + len(data))
    content[offset : offset + len(data)] = data


class Disk:
    """The state of a disk between two events."""

    def __init__(self, syncs=True):
        self.syncs = syncs
        self.files = {}
        self.durable_names = {}
        self.names = {}
        self.pending_names = []  # (event, name, file or None)
        self.created = {}  # the event that has created a file
        self.wal_sync = {}  # the last event that has synced a file

    def apply(self, index, event):
        kind, number, offset, data = event
        if kind == EXISTING:
            name = data.decode()
            self.files[number] = File()
            self.names[name] = self.durable_names[name] = number
        elif kind == CONTENT:
            self.files[number] = File(data)
        elif kind == CREATE:
            name = data.decode()
            self.files[number] = File()
            self.names[name] = number
            self.created[number] = index
            self.pending_names.append((index, name, number))
        elif kind == WRITE:
            self.files[number].write(index, offset, data)
        elif kind == TRUNCATE:
            self.files[number].truncate(index, offset)
        elif kind == SYNC and self.syncs:
            self.files[number].sync()
            self.wal_sync[number] = index
            if offset:
                self._sync_names()
        elif kind == DELETE:
            name = data.decode()
            self.names.pop(name, None)
            self.pending_names.append((index, name, None))
            if offset and self.syncs:
                self._sync_names()

    def content(self):
        """What is on the disk if nothing is lost."""
        return {name: bytes(self.files[number].current) for name, number in self.names.items()}

    def _sync_names(self):
        self.durable_names = dict(self.names)
        self.pending_names = []
        alive = set(self.names.values())
        for number in list(self.files):
            if number not in alive:
                # Still open, perhaps, but without a name for good.
                self.files[number].pending = []


class Plan:
    """What a crash leaves: the names, and for each file its size and the moments of its sectors."""

    def __init__(self):
        self.names = {}  # name: how many of its pending changes are done
        self.sizes = {}  # file: how many of its changes of size are done
        self.sectors = {}  # (file, sector): how many of its changes are done
        self.torn = {}  # (file, sector): (bytes of the next change, from the end?)
        self.garbage = {}  # (file, sector): the seed of its bytes
        self.new = "zero"


class Sectors:
    """The pending changes of a file, by sector."""

    def __init__(self, file, size):
        self.size = size
        self.file = file
        self.lengths = [len(file.durable)]  # the size after each change of it
        self.changes = {}  # sector: [(changes of size before, start, bytes or None)]
        self.cuts = []  # (event, changes of size before)
        length = len(file.durable)
        for index, offset, data in file.pending:
            if data is None:
                if offset < length:
                    self.cuts.append((index, len(self.lengths) - 1))
                    self.lengths.append(offset)
                    for sector in range(offset // size, (length + size - 1) // size):
                        start = max(offset - sector * size, 0)
                        self._add(sector, start, None)
                elif offset > length:
                    self.lengths.append(offset)
                length = offset
                continue
            if offset + len(data) > length:
                length = offset + len(data)
                self.lengths.append(length)
            position = 0
            while position < len(data):
                sector, start = divmod(offset + position, size)
                count = min(size - start, len(data) - position)
                self._add(sector, start, data[position : position + count])
                position += count

    def _add(self, sector, start, data):
        self.changes.setdefault(sector, []).append((len(self.lengths) - 1, start, data))

    def bounds(self, sector, size_changes):
        """How many of the changes may be done, if that many changes of size are."""
        changes = self.changes[sector]
        low, high = 0, len(changes)
        for index, (number, _, data) in enumerate(changes):
            if data is None:
                if number <= size_changes:
                    low = index + 1
                else:
                    high = index
                    break
        return low, high

    def build(self, number, plan, horizon, noise):
        """The content. Cuts after the event `horizon` are not done."""
        size_changes = plan.sizes.get(number, len(self.lengths) - 1)
        for index, former in self.cuts:
            if index > horizon:
                size_changes = min(size_changes, former)
        length = self.lengths[size_changes]
        content = bytearray(self.file.durable)
        end = (max(length, len(content)) // self.size + 2) * self.size
        old = len(content)
        content.extend(bytes(end - old))
        if plan.new == "garbage" and length > old:
            content[old:length] = noise.randbytes(length - old)
        for sector, changes in self.changes.items():
            base = sector * self.size
            if base >= length:
                continue
            low, high = self.bounds(sector, size_changes)
            done = min(max(plan.sectors.get((number, sector), high), low), high)
            if base + self.size > old and done > 0 and base >= old:
                content[base : base + self.size] = bytes(self.size)
            for _, start, data in changes[:done]:
                if data is None:
                    content[base + start : base + self.size] = bytes(self.size - start)
                else:
                    content[base + start : base + start + len(data)] = data
            torn = plan.torn.get((number, sector))
            if torn and done < high and changes[done][2] is not None:
                _, start, data = changes[done]
                count = torn[0] % (len(data) + 1)
                if torn[1]:
                    content[base + start + len(data) - count : base + start + len(data)] = data[len(data) - count :]
                else:
                    content[base + start : base + start + count] = data[:count]
            if (number, sector) in plan.garbage and done < high:
                content[base : base + self.size] = noise.randbytes(self.size)
        del content[length:]
        return content


class Crash:
    """The images that a cut at the current event may leave."""

    def __init__(self, disk, sector_size, overwrites):
        self.disk = disk
        self.overwrites = overwrites
        self.sector_size = sector_size
        self.sectors = {}
        self.changes_of_names = {}
        for event in disk.pending_names:
            self.changes_of_names.setdefault(event[1], []).append(event)

    def file_of(self, name, plan):
        number = self.disk.durable_names.get(name)
        changes = self.changes_of_names.get(name, [])
        for _, _, changed in changes[: plan.names.get(name, len(changes))]:
            number = changed
        return number

    def all_names(self):
        return set(self.disk.durable_names) | set(self.changes_of_names)

    def of(self, number):
        if number not in self.sectors:
            self.sectors[number] = Sectors(self.disk.files[number], self.sector_size)
        return self.sectors[number]

    def plan(self, random):
        """A plan by chance: nothing is lost, all is, each sector for itself, a tail, one sector."""
        plan = Plan()
        plan.new = random.choice(("zero", "zero", "garbage"))
        style = random.choice(("all", "none", "each", "each", "each", "tail", "lose one", "keep one", "old names"))
        share = random.choice((0.1, 0.5, 0.5, 0.9))
        for name, changes in sorted(self.changes_of_names.items()):
            if style in ("none", "old names"):
                plan.names[name] = 0
            elif style != "all" and random.random() < 0.5:
                plan.names[name] = random.randint(0, len(changes))
        for name in sorted(self.all_names()):
            number = self.file_of(name, plan)
            if number is None or not self.disk.files[number].pending:
                continue
            sectors = self.of(number)
            count = len(sectors.lengths) - 1
            keys = sorted(sectors.changes)
            if style == "none":
                plan.sizes[number] = random.choice((0, count))
            elif style in ("each", "tail", "keep one") and random.random() < 0.5:
                plan.sizes[number] = random.randint(0, count)
            chosen = random.choice(keys) if keys else None
            for place, sector in enumerate(keys):
                key = (number, sector)
                total = len(sectors.changes[sector])
                if style == "none":
                    plan.sectors[key] = 0
                elif style == "each":
                    if random.random() > share:
                        plan.sectors[key] = random.randint(0, total - 1)
                elif style == "tail":
                    if sector >= chosen:
                        plan.sectors[key] = random.randint(0, total - 1)
                elif style == "lose one":
                    if sector == chosen:
                        plan.sectors[key] = random.randint(0, total - 1)
                elif style == "keep one" and sector != chosen:
                    plan.sectors[key] = 0
                if key in plan.sectors and random.random() < 0.15:
                    plan.torn[key] = (random.randint(0, self.sector_size), random.random() < 0.5)
                if not self.overwrites and key in plan.sectors and random.random() < 0.3:
                    plan.garbage[key] = True
        return plan

    def build(self, plan, noise):
        """The content of the files, by name."""
        image = {}
        undone = [
            index
            for name, changes in self.changes_of_names.items()
            for index, _, _ in changes[plan.names.get(name, len(changes)) :]
        ]
        horizon = min(undone, default=float("inf"))
        for name in sorted(self.all_names()):
            number = self.file_of(name, plan)
            if number is not None:
                if self.disk.files[number].pending:
                    image[name] = bytes(self.of(number).build(number, plan, horizon, noise))
                else:
                    image[name] = bytes(self.disk.files[number].durable)
        return image

    def restored_journals(self, plan):
        """The journals that were deleted, and are there again: (name, the event that has created them)."""
        found = []
        for name, changes in self.changes_of_names.items():
            number = self.file_of(name, plan)
            if name.endswith("-journal") and number is not None and number != self.disk.names.get(name):
                found.append((name, self.disk.created.get(number, -1)))
        return found


def key_of(image):
    crc = 0
    for name in sorted(image):
        crc = zlib.crc32(image[name], zlib.crc32(name.encode(), crc))
    return crc, sum(map(len, image.values()))

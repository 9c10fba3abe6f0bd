# What gdb is taught for `sleave replay --gdb`: to stop in the program's frame and say why, to know threads by Sleave's names, and
# to leave Sleave's own frames out of everything that it shows. Run by gdb's Python as a module called sleave (gdb.c); the other
# end of the variables that it reads in the program is engine/core/debugger.h.
#
# A thread that waits for its turn does so in the engine, some frames below the call that the program made. gdb's frame filters
# are for backtraces only: its commands that show or move to a frame are replaced here by ones that skip those frames, and those
# that step first let the thread come back to the program. Giving gdb other registers for such a thread was rejected: a function
# that the user calls from gdb would run on top of the engine's frames. `disable frame-filter global sleave` turns all of it off.
import os
import struct

import gdb
from gdb.FrameDecorator import FrameDecorator

BEFORE_OPERATION, AT_FAILURE = 1, 2
RUNS, LEAVES, ENDED = range(3)
SYSTEM = ('libc.', 'libc-', 'libpthread', 'ld-linux', 'libstdc++', 'libgcc_s', 'libgomp')
CARRIED = struct.Struct('=iIIIQ128s')
reasons = {}  # by sleave_stop_why
later = []    # the thread and the frame to select when a command is over
ways = []     # the Arrival that ends the step that is under way, if there is one


# ---- what the engine says ----

def variable(name, layout):
    address = int(gdb.parse_and_eval('&' + name))
    memory = gdb.selected_inferior().read_memory(address, struct.calcsize(layout))
    return struct.unpack(layout, bytes(memory))[0]


def carried():
    """What is known of the program's threads, by number of the kernel's."""
    try:
        count = variable('sleave_stop_slots', '=I')
        address = int(gdb.parse_and_eval('&sleave_stop_carried'))
        memory = bytes(gdb.selected_inferior().read_memory(address, count * CARRIED.size)) if count else b''
    except gdb.error:
        return {}  # the program has not begun
    return {each[0]: each[1:] for each in CARRIED.iter_unpack(memory) if each[0]}


def state_of(thread):
    known = carried().get(thread.ptid[1])
    return known[1] if known else RUNS


def start_of(thread):
    known = carried().get(thread.ptid[1])
    return known[3] if known else 0


# ---- names ----

def unqualified(name):
    """bank::run<bank::account>(void*) is run<bank::account> in Sleave's stories."""
    depth, begin, end = 0, 0, len(name)
    for i, c in enumerate(name):
        if c == '(' and depth == 0 and i > begin:
            end = i
            break
        depth += (c in '<(') - (c in '>)')
        if depth == 0 and name.startswith('::', i):
            begin = i + 2
    return name[begin:end].lstrip(':')


def function_at(address):
    block = gdb.block_for_pc(address)
    while block and not block.function:
        block = block.superblock
    if block:
        return unqualified(block.function.name)
    symbol = gdb.execute('info symbol 0x%x' % address, to_string=True).split(' in section ')
    return unqualified(symbol[0]) if len(symbol) > 1 and ' + ' not in symbol[0] else ''


def name_threads():
    known = carried()
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] not in known:
            continue
        number, _, _, start, given = known[thread.ptid[1]]
        if number == 0:
            thread.name = 'main'
            continue
        called = given.split(b'\0')[0].decode(errors='replace') or (function_at(start) if start else '')
        called = ''.join(c if c.isprintable() else '?' for c in called)
        thread.name = 'T%d %s' % (number, called) if called else 'T%d' % number


# ---- frames ----

def library(frame):
    return os.path.basename(gdb.solib_name(frame.pc()) or '')


def is_engine(frame):
    return library(frame).startswith('libsleave')


def is_system(frame):
    return frame.type() == gdb.SIGTRAMP_FRAME or library(frame).startswith(SYSTEM)


def chain(frame):
    while frame:
        yield frame
        frame = frame.older()


def shown(frames, frame_of=lambda each: each):
    """Without the engine's frames, and those of system libraries between them and the program."""
    first, begun = [], False
    for each in frames:
        frame = frame_of(each)
        engine = is_engine(frame)
        if not begun and (engine or is_system(frame)):
            first.append((each, engine))
            continue
        if not begun and not any(engine for _, engine in first):
            yield from (each for each, _ in first)
        begun = True
        if not engine:
            yield each
    if not begun and not any(engine for _, engine in first):
        yield from (each for each, _ in first)


def is_inside():
    """Whether the selected thread is in the engine, or in a system library that the engine called."""
    for frame in chain(gdb.newest_frame()):
        if is_engine(frame):
            return True
        if not is_system(frame):
            return False
    return False


def own():
    """The innermost frame of the program in the selected thread; None: there is none."""
    return next(shown(chain(gdb.newest_frame())), None)


def level(frame):
    if hasattr(frame, 'level'):
        return frame.level()
    count = 0
    frame = frame.newer()
    while frame:
        count += 1
        frame = frame.newer()
    return count


def absence(thread):
    """Why a thread has no frame of the program."""
    if state_of(thread) == RUNS and os.path.basename(gdb.solib_name(start_of(thread)) or '').startswith('libsleave'):
        return 'waits in OpenMP'  # for work, or for the other workers
    return {RUNS: 'has not begun', LEAVES: 'is about to end', ENDED: 'has ended'}[state_of(thread)]


class Absent(FrameDecorator):
    def function(self):
        return 'this thread ' + absence(gdb.selected_thread())

    def address(self):
        return None

    def filename(self):
        return None

    def line(self):
        return None

    def frame_args(self):
        return None

    def frame_locals(self):
        return None


class Filter:
    def __init__(self):
        self.name, self.priority, self.enabled = 'sleave', 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        last, count = None, 0
        frames = iter(frames)

        def seen():
            nonlocal last
            for last in frames:
                yield last
        for each in shown(seen(), lambda each: each.inferior_frame()):
            count += 1
            yield each
        if not count and last:
            yield Absent(last)


filter_ = Filter()


def print_frame(frame):
    gdb.execute('frame level %d' % level(frame))


def print_selected():
    """The frame of the selected thread that a user wants to see, selected."""
    frame = own() if filter_.enabled else gdb.newest_frame()
    if frame:
        print_frame(frame)
    else:
        print('%s %s' % (gdb.selected_thread().name, absence(gdb.selected_thread())))


def look():
    """Before a command that looks at the selected frame: it is the program's."""
    if filter_.enabled and gdb.selected_thread():
        frame = gdb.selected_frame()
        if is_engine(frame) or is_system(frame):
            frame = own()
            if frame:
                frame.select()


# ---- stopping ----

def loaded(event):
    """The breakpoint is made when its function is there: before, gdb would complain."""
    if os.path.basename(event.new_objfile.filename or '').startswith('libsleave'):
        gdb.events.new_objfile.disconnect(loaded)
        gdb.Breakpoint('sleave_stop', internal=True).silent = True


def is_trap():
    try:
        return int(gdb.parse_and_eval('$_siginfo.si_signo')) == 5
    except gdb.error:
        return False


def is_ours():
    newest = gdb.newest_frame()
    return newest.name() == 'sleave_stop' and is_engine(newest)


def tell(_event):
    """After gdb has done all that it does when a program stops: then another thread can be selected."""
    if not gdb.selected_thread() or not is_ours():
        return
    print('\nstopped: ' + reasons.get(variable('sleave_stop_why', '=I'), 'in Sleave'))
    place, tid = variable('sleave_stop_place', '=Q'), variable('sleave_stop_tid', '=I')
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] == tid:
            thread.switch()
    for frame in chain(gdb.newest_frame()):
        if frame.pc() in (place, place - 1) and not is_engine(frame):
            print_frame(frame)
            return
    print_selected()


def go_on():
    """From hook-stop, which does not run again meanwhile; gdb does not print the stop from which the program goes on."""
    gdb.execute('continue')
    name_threads()


def stopped():
    """gdb's hook-stop: it runs before gdb prints the frame that is selected."""
    if not gdb.selected_thread():
        ways.clear()
        return
    name_threads()
    inside = filter_.enabled and is_inside()
    left = inside and not is_ours() and is_trap()  # a step has ended in the engine
    way = ways.pop() if ways else None
    if left and (way and not way.reached or not own()):
        go_on()
        later[:] = [gdb.selected_thread(), gdb.selected_frame()] if gdb.selected_thread() else []
    elif inside and own():
        own().select()
    if way and way.is_valid():
        way.delete()
    if way and way.reached:
        print_frame(gdb.newest_frame())


def settle():
    """After a step, at the prompt or in a script: gdb goes back to the thread that stepped, though the program stopped elsewhere."""
    if later:
        later[0].switch()
        later[1].select()
        later.clear()


# ---- stepping ----

class Arrival(gdb.Breakpoint):
    """Once, when a thread comes to a place; in a frame, if it is given."""

    def __init__(self, address, thread, frame=None):
        super().__init__('*0x%x' % address, internal=True)
        self.silent, self.thread = True, thread.global_num
        self.frame, self.reached = frame, False

    def stop(self):
        self.reached = self.frame is None or gdb.newest_frame() == self.frame
        return self.reached


def ends_line(frame):
    """Whether a call returns to the beginning of another line: there is nothing left of its own to step through."""
    now, then = frame.find_sal(), gdb.find_pc_line(frame.pc())
    return then.symtab is not None and then.pc == frame.pc() and then.line != now.line


def leave(command):
    """Before a step: the thread first comes back to the program. It may have to wait for its turn, and others go on meanwhile."""
    thread = gdb.selected_thread()
    if not filter_.enabled or not thread or not is_inside():
        return
    frame, state = own(), state_of(thread)
    address = frame.pc() if frame else start_of(thread) if state == RUNS else 0
    if not address and state == RUNS and thread.name == 'main':
        address = int(gdb.parse_and_eval('&main'))
    if state == ENDED:
        raise gdb.GdbError('%s has ended.' % thread.name)
    over = variable('sleave_stop_why', '=I') == AT_FAILURE  # what follows is the end
    arrival = Arrival(address, thread, frame) if address and not over else None
    if frame and arrival and command in ('next', 'step', 'until') and ends_line(frame):
        ways[:] = [arrival]  # gdb begins with a step inside of the engine, and stopped() leads it there
        return
    try:
        gdb.execute('continue')
    finally:
        if arrival and arrival.is_valid():
            arrival.delete()
    if not arrival or not arrival.reached:
        if not thread.is_valid():
            raise gdb.GdbError('%s: the execution has ended.' % command)
        raise gdb.GdbError('%s ended here: %s %s.' % (
            command, thread.name, 'has ended' if state_of(thread) == ENDED else 'had not come back to the program'))


# ---- commands that show frames ----

def target_id(thread):
    try:
        handle = '0x%x' % int.from_bytes(thread.handle(), 'little')
    except (gdb.error, AttributeError):
        handle = ''
    return 'Thread %s (LWP %d)' % (handle, thread.ptid[1]) if handle else 'LWP %d' % thread.ptid[1]


def find_thread(text):
    try:
        number = int(gdb.parse_and_eval(text.split('.')[-1]))
    except gdb.error:
        raise gdb.GdbError('Invalid thread ID: ' + text)
    for thread in gdb.selected_inferior().threads():
        if thread.num == number:
            return thread
    raise gdb.GdbError('Unknown thread %s.' % text)


def thread(text=None):
    """Of `thread`; its subcommands are gdb's."""
    if not text:
        chosen = gdb.selected_thread()
        if not chosen:
            raise gdb.GdbError('No thread selected')
        print('[Current thread is %d "%s" (%s)]' % (chosen.num, chosen.name, target_id(chosen)))
        return
    chosen = find_thread(text)
    chosen.switch()
    print('[Switching to thread %d "%s" (%s)]' % (chosen.num, chosen.name, target_id(chosen)))
    print_selected()


def frame(text=None):
    """Of `frame`: the number of a hidden frame is that of the next one that is shown."""
    selected = gdb.selected_frame()
    number = int(gdb.parse_and_eval(text)) if text else level(selected)
    if filter_.enabled:
        for each in shown(chain(gdb.newest_frame())):
            if level(each) >= number:
                number = level(each)
                break
        else:
            if not own():
                print_selected()
                return
    gdb.execute('frame level %d' % number)


class Move(gdb.Command):
    def __init__(self, name, direction):
        self.__doc__ = 'Select and print the stack frame %s this one; Sleave\'s own frames are skipped.' % (
            'that called' if direction > 0 else 'called by')
        super().__init__(name, gdb.COMMAND_STACK)
        self.direction, self.silent = direction, name.endswith('silently')

    def invoke(self, text, _from_tty):
        count = self.direction * (int(gdb.parse_and_eval(text)) if text else 1)
        selected, before, after = gdb.selected_frame(), [], []
        for each in shown(chain(gdb.newest_frame())) if filter_.enabled else chain(gdb.newest_frame()):
            if after or each == selected:
                after.append(each)
                if len(after) > count:
                    break
            else:
                before.append(each)
        if not after:  # a hidden frame is selected
            after, before = before, []
        if count > 0 and len(after) < 2:
            raise gdb.GdbError("Initial frame selected; you can't go up.")
        if count < 0 and not before:
            raise gdb.GdbError("Bottom (innermost) frame selected; you can't go down.")
        chosen = (after[min(count, len(after) - 1)] if count >= 0 else before[max(count, -len(before))])
        if self.silent:
            chosen.select()
        else:
            print_frame(chosen)


class InfoThreads(gdb.Command):
    """Display threads, and where in the program each of them is: info threads [ID]..."""

    def __init__(self):
        super().__init__('info threads', gdb.COMMAND_STATUS)

    def invoke(self, text, _from_tty):
        threads = sorted(gdb.selected_inferior().threads(), key=lambda t: t.num)
        wanted = [find_thread(word) for word in text.split()]
        chosen, frame_before = gdb.selected_thread(), gdb.selected_frame() if gdb.selected_thread() else None
        rows = []
        for each in threads:
            if wanted and each not in wanted:
                continue
            each.switch()
            rows.append((each, '%s "%s"' % (target_id(each), each.name), self.place(each)))
        if chosen:
            chosen.switch()
            frame_before.select()
        if not rows:
            print('No threads.')
            return
        width = max(len(row[1]) for row in rows)
        print('  Id   %s Frame' % 'Target Id'.ljust(width))
        for each, name, place in rows:
            print('%s %-4d %s %s' % ('*' if chosen and each.num == chosen.num else ' ', each.num, name.ljust(width), place))

    @staticmethod
    def place(each):
        frame = own() if filter_.enabled else gdb.newest_frame()
        if not frame:
            return absence(each)
        text = gdb.execute('frame apply level %d echo' % level(frame), to_string=True).splitlines()[0]
        return text.split(None, 1)[1] if text.startswith('#') else text


class Ours(gdb.Command):
    """For definitions in gdb's language: an error that a function raises is said in one line."""

    def __init__(self, function):
        self.function = function
        super().__init__('sleave-' + function.__name__, gdb.COMMAND_OBSCURE)

    def invoke(self, text, _from_tty):
        self.function(*gdb.string_to_argv(text))


def define(name, body, document=None):
    """A command of gdb's language: it keeps the subcommands of the one that it replaces, and may be a hook."""
    gdb.execute('define %s\n%s\nend' % (name, body))
    if document:
        gdb.execute('document %s\n%s\nend' % (name, document))


def begin(why):
    reasons.update(why)
    confirm = gdb.parameter('confirm')
    gdb.execute('set confirm off')
    try:
        theirs = gdb.execute('show user hook-stop', to_string=True).split('\n', 1)[1]
    except gdb.error:
        theirs = ''
    for function in (stopped, thread, frame, leave, settle, look):
        Ours(function)
    define('hook-stop', 'sleave-stopped\n' + theirs)
    for name in ('thread', 'frame'):
        define(name, 'if $argc == 0\nsleave-%s\nelse\nsleave-%s $arg0\nend' % (name, name),
               'Select and print a %s; Sleave\'s own frames are skipped.' % name)
    for name in ('next', 'step', 'nexti', 'stepi', 'until', 'finish', 'advance'):
        define('hookpost-' + name, 'sleave-settle')
    for name in ('next', 'step', 'nexti', 'stepi', 'until'):
        define('hook-' + name, 'sleave-leave ' + name)
    for name in ('hook-print', 'hook-x', 'hook-list', 'hook-display', 'info hook-locals', 'info hook-args', 'info hook-frame'):
        define(name, 'sleave-look')
    gdb.execute('set confirm ' + ('on' if confirm else 'off'))
    for name, direction in (('up', 1), ('up-silently', 1), ('down', -1), ('down-silently', -1)):
        Move(name, direction)
    InfoThreads()
    for files in ('*/src/engine/*/*', '*/src/engine/*/*/*', '*/src/search/*'):
        gdb.execute('skip -gfi ' + files, to_string=True)
    gdb.events.new_objfile.connect(loaded)
    gdb.events.stop.connect(tell)
    gdb.events.before_prompt.connect(settle)

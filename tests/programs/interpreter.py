"""Run by test_python.py on ranks: interpreter.py TASK [ARGUMENT...]"""
import atexit
import ctypes
import multiprocessing
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time

RANK = int(os.environ.get('RANKLET_RANK', 0))  # 0 without mpiexec
WORLD = ctypes.c_void_p(0x101)  # MPI_COMM_WORLD and MPI_INT of the standard ABI
INT = ctypes.c_void_p(0x209)
SUM = ctypes.c_void_p(0x21)


def mpi():
    library = ctypes.CDLL('libmpi_abi.so.1')
    library.MPI_Init(None, None)
    return library


def allreduce(library, value):
    given, taken = ctypes.c_int(value), ctypes.c_int()
    library.MPI_Allreduce(ctypes.byref(given), ctypes.byref(taken), 1, INT, SUM, WORLD)
    return taken.value


def world():
    library = mpi()
    print(RANK, allreduce(library, 1), sys.argv[2:], sys.executable, sys.prefix)
    library.MPI_Finalize()


def alone():
    library = mpi()
    rank, size = ctypes.c_int(-1), ctypes.c_int(-1)
    library.MPI_Comm_rank(WORLD, ctypes.byref(rank))
    library.MPI_Comm_size(WORLD, ctypes.byref(size))
    print(f'rank {rank.value} of {size.value}, sum {allreduce(library, 7)}')
    library.MPI_Finalize()


def spawn():
    """Parents start children of the same interpreter, which meet them."""
    library = mpi()
    parent = ctypes.c_void_p()
    library.MPI_Comm_get_parent(ctypes.byref(parent))
    is_child = parent.value != 0x100  # MPI_COMM_NULL
    inter = parent
    if not is_child:
        arguments = (ctypes.c_char_p * 3)(__file__.encode(), b'spawn', None)
        inter = ctypes.c_void_p()
        library.MPI_Comm_spawn(sys.executable.encode(), arguments, 3, ctypes.c_void_p(0x130), 0, WORLD,
                               ctypes.byref(inter), None)
    given, taken = ctypes.c_int(1), ctypes.c_int()
    library.MPI_Allreduce(ctypes.byref(given), ctypes.byref(taken), 1, INT, SUM, inter)
    print('child' if is_child else 'parent', RANK, 'of', allreduce(library, 1), 'meets', taken.value, sys.executable)
    library.MPI_Comm_disconnect(ctypes.byref(inter))
    library.MPI_Finalize()


def subprocesses():
    for i in range(20):
        done = subprocess.run(['sh', '-c', f'echo {RANK} {i}; exit 3'], capture_output=True, text=True)
        assert (done.stdout, done.returncode) == (f'{RANK} {i}\n', 3), done
    code = 'import os, sys; sys.exit("RANKLET_INTERPRETER_LIBRARY" in os.environ)'
    assert subprocess.run([sys.executable, '-c', code]).returncode == 0
    with subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.communicate(b'x' * 100000)[0] == b'x' * 100000


def square(number):
    return number * number


def processes(kind):
    with multiprocessing.get_context(kind).Pool(2) as pool:
        assert pool.map(square, range(10)) == [i * i for i in range(10)]


def ending(how):
    if how == 'exit':
        sys.exit(RANK and 7)
    if how == '_exit':
        os._exit(3 if RANK == 1 else 0)
    if how == 'exception' and RANK == 1:
        raise ValueError('no such value')
    if how == 'atexit':
        atexit.register(print, 'second')
        atexit.register(print, 'first')
    if how == 'daemon':
        def count():
            while True:
                pass
        threading.Thread(target=count, daemon=True).start()


def signals():
    got = []
    signal.signal(signal.SIGUSR1, lambda number, frame: got.append(RANK))
    for _ in range(10):
        os.kill(os.getpid(), signal.SIGUSR1)
    assert got == [RANK] * 10, got


def interrupted():
    library = mpi()
    try:
        allreduce(library, 1)  # from here on all are in the block
        if RANK == 0:
            print('ready', flush=True)
        while True:
            time.sleep(1)
    except KeyboardInterrupt:
        print('interrupted', RANK, flush=True)


def own():
    random.seed(RANK)
    os.environ['MINE'] = str(RANK)
    ends = os.pipe()
    kept = os.dup(1)
    os.dup2(ends[1], 1)
    os.write(1, b'%d' % RANK)
    assert os.read(ends[0], 10) == b'%d' % RANK
    os.dup2(kept, 1)
    assert subprocess.run(['sh', '-c', 'echo $MINE'], capture_output=True).stdout == b'%d\n' % RANK


def reads():
    print(RANK, input() if RANK == 0 else '-')


def numbers():
    """numpy with OpenBLAS's threads on two ranks, a third starts processes, a fourth has a pool of threads."""
    import numpy
    a = numpy.arange(200 * 200, dtype='d').reshape(200, 200) % 7
    right = sum(int(x) * int(y) for x, y in zip(a[3], a[:, 5]))
    if RANK < 2:
        for _ in range(30):
            assert (a @ a)[3, 5] == right
    elif RANK == 2:
        for _ in range(200):
            assert subprocess.run(['true']).returncode == 0
    else:
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(3) as pool:
            assert all(x == right for x in pool.map(lambda i: (a @ a)[3, 5], range(30)))


def compute():
    """The times that the thread has gone to sleep in half a second of computing: at a lock that others hold."""
    before, end = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw, time.thread_time() + 0.5
    while time.thread_time() < end:
        sum(range(1000))
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw - before


def locks():
    library = mpi()
    allreduce(library, 1)  # from here on all compute
    alone = compute()
    library.MPI_Finalize()
    # The count shows a lock: two threads of one interpreter take turns of 5 ms.
    other = threading.Thread(target=compute)
    other.start()
    together = compute()
    other.join()
    print('of its own' if alone < 10 < 40 < together else f'{alone} {together}')


def crashes():
    if RANK == 1:
        ctypes.string_at(0)


def exchange(library, other):
    library.MPI_Recv(None, 0, INT, other, 5, WORLD, None)


def threads():
    print(os.environ['OPENBLAS_NUM_THREADS'], os.environ['OMP_NUM_THREADS'])


def deadlock():
    exchange(mpi(), 1 - RANK)


def wrong():
    mpi().MPI_Recv(None, -1, INT, 0, 5, WORLD, None)


if __name__ == '__main__':
    globals()[sys.argv[1]](*(sys.argv[2:] if sys.argv[1] in ('processes', 'ending') else []))

"""Run by test_python.py on ranks: python_libraries.py LIBRARY. Each is imported and used with the rank's own data; 77: it
is not installed."""
import io
import os
import sys
import tempfile

RANK = int(os.environ['RANKLET_RANK'])


def sqlite3():
    import sqlite3
    base = sqlite3.connect(':memory:')
    base.execute('create table numbers(n)')
    base.executemany('insert into numbers values(?)', [(i * RANK,) for i in range(1000)])
    assert base.execute('select sum(n) from numbers').fetchone()[0] == 499500 * RANK


def ssl():
    import ssl
    to_us, from_us = ssl.MemoryBIO(), ssl.MemoryBIO()
    connection = ssl.create_default_context().wrap_bio(to_us, from_us, server_hostname=f'rank{RANK}')
    try:
        connection.do_handshake()
    except ssl.SSLWantReadError:
        pass
    assert b'rank%d' % RANK in from_us.read()


def scipy():
    import numpy
    import scipy.fft
    import scipy.integrate
    import scipy.linalg
    import scipy.optimize
    import scipy.sparse.linalg
    import scipy.spatial
    import scipy.stats
    random = numpy.random.default_rng(RANK)
    matrix = random.random((60, 60)) + 60 * numpy.eye(60)
    assert numpy.allclose(scipy.linalg.inv(matrix) @ matrix, numpy.eye(60))
    assert numpy.allclose(scipy.linalg.eigvals(matrix).sum(), matrix.trace())
    wave = random.random(1024)
    assert numpy.allclose(scipy.fft.ifft(scipy.fft.fft(wave)).real, wave)
    assert abs(scipy.integrate.quad(numpy.sin, 0, numpy.pi)[0] - 2) < 1e-9
    nearest = scipy.optimize.minimize(lambda point: ((point - RANK) ** 2).sum(), numpy.zeros(3))
    assert numpy.allclose(nearest.x, RANK, atol=1e-4)
    sparse = scipy.sparse.diags([4, -1, -1], [0, 1, -1], shape=(100, 100)).tocsc()
    assert numpy.allclose(sparse @ scipy.sparse.linalg.spsolve(sparse, numpy.ones(100)), 1)
    assert scipy.spatial.cKDTree([[0, 0], [RANK + 1, 1]]).query([RANK + 1, 2])[0] == 1
    assert abs(scipy.stats.norm.cdf(0) - 0.5) < 1e-12


def matplotlib():
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    figure, axes = pyplot.subplots()
    axes.plot([RANK * i for i in range(10)])
    axes.set_title(f'rank {RANK}')
    picture = io.BytesIO()
    figure.savefig(picture, format='png')
    assert picture.getvalue().startswith(b'\x89PNG') and len(picture.getvalue()) > 5000


def h5py():
    import h5py
    with tempfile.TemporaryDirectory() as directory:
        with h5py.File(directory + '/file', 'w') as file:
            file.create_dataset('numbers', data=[RANK * i for i in range(1000)], compression='gzip')
        with h5py.File(directory + '/file') as file:
            assert file['numbers'][:].sum() == 499500 * RANK


if __name__ == '__main__':
    try:
        globals()[sys.argv[1]]()
    except ModuleNotFoundError:
        sys.exit(77)

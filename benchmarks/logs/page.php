<?php

declare(strict_types=1);

use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Table;

return new Experiment(
    'logs',
    'Reading logs',
    'The commands for slow logs and error logs, and the reader of access logs, read generated logs from the page'
        .' cache, in turns.',
    'They read {result/log_mb_per_s/slow|count} MB/s of a PHP-FPM slow log,'
        .' {result/log_mb_per_s/nginx_error|count} MB/s of'
        .' an nginx error log and {result/log_mb_per_s/access|count} MB/s of an access log, with at most'
        .' {result/peak_mb/slow|count} MB of memory for the slow log.',
    'make bench-logs',
    'about five minutes (one with `QUICK=1`), and 1.3 GB of temporary files',
    [
        Table::each(['', 'MB/s', 'MB in a second of CPU', 'memory of PHP, MB'], [
            'PHP-FPM slow log' => 'slow',
            'the same, gzipped' => 'slow_gz',
            'nginx error log' => 'nginx_error',
            'PHP-FPM error log' => 'fpm_error',
            'access log' => 'access',
        ], ['{mb_per_second/@|count}', '{mb_per_cpu_second/@|count}', '{result/peak_mb/@|count}']),
    ],
    [],
    ['How fast a log with very many different stack frames is read: it is slower. The memory stays the same.'],
);

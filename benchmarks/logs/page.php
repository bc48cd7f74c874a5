<?php

declare(strict_types=1);

use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Table;

return new Experiment(
    'logs',
    'Reading logs',
    'The commands for slow logs and error logs, and the reader of access logs, read generated logs from the page'
        .' cache, in turns.',
    'The readers take {result/log_mb_per_s/slow|count} MB of a PHP-FPM slow log per second,'
        .' {result/log_mb_per_s/nginx_error|count} MB of an nginx error log, and'
        .' {result/log_mb_per_s/access|count} MB of an access log. Reading the slow log needs at most'
        .' {result/peak_mb/slow|count} MB of memory.',
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
    ['How fast the readers read a log with very many different stack frames: they are slower, with the same memory.'],
);

<?php

declare(strict_types=1);

use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Table;

return new Experiment(
    'stacks',
    'Ways to sample PHP stacks',
    'A PHP-FPM worker answers a page of known CPU time while a sampler reads its stack: excimer inside the request, and'
        .' phpspy, `process_vm_readv` and `/proc/PID/mem` from outside.',
    'With excimer at 10 ms, the worker takes {figures/ways/excimer-10ms/worker_cpu_ratio|times} the CPU time that it'
        .' takes without a sampler. Of {figures/ways/phpspy-999hz/samples|count} samples of phpspy at 999 Hz,'
        .' {figures/ways/phpspy-999hz/kinds/impossible|count} show stacks that the page cannot have.',
    'php benchmarks/stacks/run.php',
    'about three minutes, as root',
    [
        Table::each(
            ['', 'CPU time of the worker', 'CPU time of the sampler / worker', 'samples', 'impossible stacks'],
            [
                'no sampler' => 'none',
                'excimer, each 10 ms' => 'excimer-10ms',
                'excimer, each 1 ms' => 'excimer-1ms',
                '`process_vm_readv`, 99 Hz' => 'vm-99hz',
                '`/proc/PID/mem`, 99 Hz' => 'file-99hz',
                '`process_vm_readv`, 999 Hz' => 'vm-999hz',
                'phpspy, 99 Hz' => 'phpspy-99hz',
                'phpspy, 999 Hz' => 'phpspy-999hz',
                'phpspy, 999 Hz, the worker stopped' => 'phpspy-999hz-paused',
            ],
            [
                '{figures/ways/@?/worker_cpu_ratio|times}', '{figures/ways/@?/sampler_cpu_ratio|times}',
                '{figures/ways/@?/samples|count}', '{figures/ways/@?/kinds/impossible|count}',
            ],
        ),
    ],
    [],
    ['How other versions of PHP behave: the offsets in the sampler are those of PHP 8.2 without threads.'],
);

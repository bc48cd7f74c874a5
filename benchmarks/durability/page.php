<?php

declare(strict_types=1);

use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Table;

$levels = [
    '`process`: in the page cache' => 'process',
    '`interval`: synced each second' => 'interval',
    '`power`: synced with each event' => 'power',
];

return new Experiment(
    'durability',
    'What an append costs at each level of durability',
    'One process appends events at each level of durability. In one turn it opens its file for each event, as the'
        .' first event of a request does. In the other it keeps the file open.',
    'In the median, an append to an open file takes {micros/kept/process/p50|micros} if it stays in the page cache, and'
        .' {micros/kept/power/p50|micros} if each event is synced to the disk ({filesystem|text}).',
    'make bench-durability',
    'some minutes; DIR=... measures another disk',
    [
        Table::each(
            [
                '', 'first event of a request: median', 'first event: 99th percentile', 'further events: median',
                'further events: 99th percentile',
            ],
            $levels,
            [
                '{micros/opened/@/p50|micros}', '{micros/opened/@/p99|micros}',
                '{micros/kept/@/p50|micros}', '{micros/kept/@/p99|micros}',
            ],
        ),
    ],
    [],
    [
        'How long another disk takes to sync. This disk is virtual. A disk with burst credit slows down when the'
            .' credit is used up.',
    ],
);
